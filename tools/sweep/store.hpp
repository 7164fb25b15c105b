// Results of points in a folder, one file each, with the identity of the point as its name. A process that
// runs a point, here or on another machine, puts its result there, and a later run of the sweep finds it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "tools/sweep/run_point.hpp"

namespace trnsim::sweep {

// Returns a hash of a point: configuration, kernel, arguments, seed, rounding, perturbation, check. The other
// dependences of its result are in PointResult::origin.
std::string identity(const Sweep& sweep, const Point& point);

// Converts to JSON on one line and back.
std::string to_text(const PointResult& result);
PointResult from_text(const std::string& text);  // throws std::exception for another text

enum class Recording : std::uint8_t { Trace, Wave };

class Store {
  public:
    // Makes the folder and FOLDER/points. Throws files::Error.
    explicit Store(std::filesystem::path folder);

    bool empty() const;
    // Removes the leftovers of interrupted writers. No writer may be at work.
    void clean() const;
    // Returns the result of a point if it need not run again. Failures and time-outs are not returned, as
    // they may be due to circumstances; with `any` they are. A file that is no result counts as none.
    std::optional<PointResult> find(const std::string& identity, bool any = false) const;
    void put(const std::string& identity, const PointResult& result) const;
    // Removes the result and the recordings.
    void remove(const std::string& identity) const;

    const std::filesystem::path& folder() const { return folder_; }

    // Returns the path of a recording of a point.
    std::filesystem::path file_of(Recording recording, const std::string& identity) const;
    // Returns the existing recordings of a point, for PointResult::recordings.
    std::map<std::string, std::string> recordings(const std::string& identity) const;

  private:
    std::filesystem::path file_of(const std::string& identity) const;
    std::filesystem::path folder_;
};

}  // namespace trnsim::sweep
