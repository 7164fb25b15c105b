// A limit of Num elements in Den cycles, as rtl/common/rate_limit.sv keeps it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arch/config/config.hpp"

namespace trnsim::cost {

class RateLimit {
  public:
    // Without a limit by default.
    explicit constexpr RateLimit(config::Ratio rate = {1, 1})
        : num_(rate.numerator), den_(rate.denominator), level_(full()) {}

    // Returns the cycles from the first of `elements` that go at the full rate to the one after them.
    constexpr std::uint64_t cycles(std::uint64_t elements) const { return elements * den_ / num_; }

    // Returns whether an element may go in this cycle.
    constexpr bool ready() const { return level_ >= den_; }

    // A cycle passes. `takes`: an element goes; `first`: it is the first one of a sequence.
    constexpr void edge(bool takes, bool first) {
        if (takes) level_ = first ? num_ - 1 : level_ - den_;
        level_ = std::min(level_ + num_, full());
    }

  private:
    constexpr std::uint64_t full() const { return den_ + num_ - 1; }

    std::uint64_t num_, den_;
    std::uint64_t level_;  // an element costs den_, and num_ come back in a cycle
};

// Returns the limit of the moving elements of a tile of the array.
constexpr RateLimit moving_limit(const config::TensorEngine& engine) {
    return RateLimit({engine.utilisation, 1000});
}

}  // namespace trnsim::cost
