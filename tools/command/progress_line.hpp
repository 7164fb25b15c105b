// One line on a terminal that is rewritten while a simulation runs.
#pragma once

#include <ostream>
#include <string>

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

// Says once that cores are being built, which takes a while.
class CoreAnnouncement {
  public:
    explicit CoreAnnouncement(const Environment& environment) : environment_(environment) {}
    // `missing` is the number of cores to build; for 0 it says nothing.
    void operator()(std::size_t missing);

  private:
    const Environment& environment_;
    bool said_ = false;
};

}  // namespace trnsim::command
