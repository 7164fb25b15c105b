// The grid of a clock in simulated time: cycle n is at floor(n * 10^15 / frequency) fs, so it never drifts.
#pragma once

#include "base/time/cycles.hpp"
#include "base/time/time.hpp"
#include "model/protocol/types.hpp"

namespace trnsim::tlm {

class CoreClock {
  public:
    explicit CoreClock(std::uint64_t frequency)  // Hz
        : frequency_(frequency), period_(FsPerSecond / frequency), remainder_(FsPerSecond % frequency) {}

    std::uint64_t cycle() const { return cycle_; }
    Time time() const { return time_; }  // time of cycle()

    void advance() {
        ++cycle_;
        time_ += period_;
        fraction_ += remainder_;
        if (fraction_ >= frequency_) {
            fraction_ -= frequency_;
            ++time_;
        }
    }

    // Returns the first cycle at or after `time`; at least the present one.
    std::uint64_t cycle_at(Time time) const {
        if (time <= time_) return cycle_;
        return time_to_cycles(time, frequency_, Round::Up);
    }

    Time time_of(std::uint64_t cycle) const { return cycles_to_time(cycle, frequency_); }

    // Goes to a later cycle. Returns the number of cycles left out.
    std::uint64_t skip_to(std::uint64_t cycle) {
        const std::uint64_t skipped = cycle - cycle_;
        cycle_ = cycle;
        time_ = time_of(cycle);
        // The fraction is less than frequency_, so the lower 64 bits of both products are enough.
        fraction_ = cycle * FsPerSecond - time_ * frequency_;
        return skipped;
    }

  private:
    std::uint64_t frequency_, period_, remainder_;
    std::uint64_t cycle_ = 0;
    Time time_ = 0;
    std::uint64_t fraction_ = 0;  // fraction of a femtosecond, in 1/frequency
};

}  // namespace trnsim::tlm
