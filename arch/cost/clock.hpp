// Edges of a clock domain, counted in core cycles from the reset. A domain with the ratio n / d has n edges
// in d core cycles, evenly spread. The core cycle of an edge is the number of core cycles that have ended
// with it.
#pragma once

#include <cstdint>

#include "arch/config/config.hpp"

namespace trnsim::cost {

class Clock {
  public:
    explicit constexpr Clock(const config::Ratio& ratio)
        : numerator_(ratio.numerator), denominator_(ratio.denominator) {}

    // Returns the largest number of core cycles that `cycles` of the domain take.
    constexpr std::uint64_t core_cycles(std::uint64_t cycles) const {
        return (cycles * denominator_ + numerator_ - 1) / numerator_;
    }
    // Returns the cycles of the domain that core cycles take, rounded up.
    constexpr std::uint64_t whole_cycles(std::uint64_t core_cycles) const {
        return (core_cycles * numerator_ + denominator_ - 1) / denominator_;
    }
    // Returns the core cycle of the `count`-th edge after core cycle `cycle`; 1 is the next edge.
    constexpr std::uint64_t after(std::uint64_t cycle, std::uint64_t count = 1) const {
        return core_cycles(cycle * numerator_ / denominator_ + count);
    }
    // Returns the core cycle of the last edge before core cycle `cycle`.
    constexpr std::uint64_t before(std::uint64_t cycle) const {
        return cycle == 0 ? 0 : core_cycles((cycle - 1) * numerator_ / denominator_);
    }

  private:
    std::uint64_t numerator_, denominator_;
};

}  // namespace trnsim::cost
