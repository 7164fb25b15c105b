// How processes of a simulation end, and which of several ends is told.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/jobs/process.hpp"

namespace trnsim::tlm::processes {

// From the best on: that a process saw another one end is the least of reasons for a failure.
enum class End : std::uint8_t { Returned, SawEnd, Threw, Failed, Died };

struct Ending {
    End end = End::Returned;
    std::string text{};  // what the work returned; or why it failed, one line
};

// The worst of several endings, of equal ones the first.
class Reasons {
  public:
    void add(Ending ending) {
        if (ending.end != End::Returned && (!worst_ || ending.end > worst_->end)) worst_ = std::move(ending);
    }
    bool any() const { return worst_.has_value(); }
    // Throws Error or Failure with the worst; not without any.
    [[noreturn]] void fail() const;

  private:
    std::optional<Ending> worst_;
};

// `work` as a job's: its text says how it has ended.
std::string job_text(const std::function<std::string()>& work);

// How process `rank` of `count` has ended, of whose job this is the outcome.
Ending ending_of(unsigned rank, unsigned count, const jobs::Outcome& outcome);

}  // namespace trnsim::tlm::processes
