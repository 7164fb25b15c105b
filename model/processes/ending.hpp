// The ways in which processes of a simulation end, and the choice of the ending that is reported.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/jobs/process.hpp"

namespace trnsim::tlm::processes {

// Ordered from the best: that a process saw another one end is the weakest reason for a failure.
enum class End : std::uint8_t { Returned, SawEnd, Threw, Failed, Died };

struct Ending {
    End end = End::Returned;
    std::string text{};  // result of the work, or one line that says why it failed
};

// Keeps the worst of several endings; of equal ones the first.
class Reasons {
  public:
    void add(Ending ending) {
        if (ending.end != End::Returned && (!worst_ || ending.end > worst_->end)) worst_ = std::move(ending);
    }
    bool any() const { return worst_.has_value(); }
    // Throws Error or Failure with the worst ending; there must be one.
    [[noreturn]] void fail() const;

  private:
    std::optional<Ending> worst_;
};

// Runs `work` for a job; the text that it returns says how the work has ended.
std::string job_text(const std::function<std::string()>& work);

// Says how process `rank` of `count` has ended, from the outcome of its job.
Ending ending_of(unsigned rank, unsigned count, const jobs::Outcome& outcome);

}  // namespace trnsim::tlm::processes
