// Results of points in a folder, one file each, named after what the point is: whoever runs a point, here or
// on another machine, puts its result there, and a later run of the sweep finds it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "tools/sweep/run_point.hpp"

namespace trnsim::sweep {

// A hash of what a point is: configuration, kernel, arguments, seed, rounding, perturbation, check. What else
// its result depends on is PointResult::origin.
std::string identity(const Sweep& sweep, const Point& point);

// JSON on one line.
std::string to_text(const PointResult& result);
PointResult from_text(const std::string& text);  // throws std::exception for another text

enum class Recording : std::uint8_t { Trace, Wave };

class Store {
  public:
    // Makes the folder and FOLDER/points. Throws files::Error.
    explicit Store(std::filesystem::path folder);

    bool empty() const;
    // Removes what writers that were cut short left behind. No writer may be at work.
    void clean() const;
    // The result of a point that need not run again; failures and time-outs may be due to circumstances and
    // are not among them. With `any`, whatever there is. A file that is no result counts as none.
    std::optional<PointResult> find(const std::string& identity, bool any = false) const;
    void put(const std::string& identity, const PointResult& result) const;
    // The result and what was recorded.
    void remove(const std::string& identity) const;

    const std::filesystem::path& folder() const { return folder_; }

    // Where the recording of a point stands.
    std::filesystem::path file_of(Recording recording, const std::string& identity) const;
    // What there is of a point, for PointResult::recordings.
    std::map<std::string, std::string> recordings(const std::string& identity) const;

  private:
    std::filesystem::path file_of(const std::string& identity) const;
    std::filesystem::path folder_;
};

}  // namespace trnsim::sweep
