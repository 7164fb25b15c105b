// One line on a terminal that is rewritten while a simulation runs.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "runtime/session/runner.hpp"
#include "tools/command/environment.hpp"

namespace trnsim::command {

// Returns e.g. " 42 % of the instructions, 1.2 million cycles, 83.1 simulated kHz, 12 s left".
std::string format_progress(const runtime::Progress& progress);

class ProgressLine {
  public:
    explicit ProgressLine(std::ostream& stream) : stream_(stream) {}
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const std::string& text);
    void show(const runtime::Progress& progress) { show(format_progress(progress)); }
    void clear();

  private:
    std::ostream& stream_;
    std::size_t shown_ = 0;  // characters on the line
};

// Cores that are being built before anything runs.
struct CoreBuilds {
    std::size_t built = 0, missing = 0;    // those that are there by now, and all that were missing
    std::optional<double> last_seconds{};  // duration of the last build before; nothing if unknown
    std::filesystem::path logs{};          // folder with the output of the tools
};

// Says that cores are being built, which takes a while, and in a pipe every half minute how far that is.
class CoreAnnouncement {
  public:
    // `seconds` is a clock.
    explicit CoreAnnouncement(const Environment& environment, std::function<double()> seconds = wall_seconds)
        : environment_(environment), seconds_(std::move(seconds)) {}
    // Without missing cores it says nothing.
    void operator()(const CoreBuilds& builds);

  private:
    static double wall_seconds();
    const Environment& environment_;
    std::function<double()> seconds_;
    std::optional<double> begun_;
    double said_ = 0;
    std::size_t built_ = 0;
};

}  // namespace trnsim::command
