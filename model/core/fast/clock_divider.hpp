// Edges of a clock domain in core cycles: as many as the numerator of its ratio in the denominator's cycles,
// evenly spread, as the clock generator of a core makes them.
#pragma once

#include <cstdint>

#include "arch/config/config.hpp"

namespace trnsim::tlm::core_fast {

class ClockDivider {
  public:
    explicit ClockDivider(const config::Ratio& ratio)
        : numerator_(ratio.numerator), denominator_(ratio.denominator) {}

    // Returns whether the current core cycle ends with an edge of the domain.
    bool tick() const { return phase_ + numerator_ >= denominator_; }
    void advance() {
        phase_ += numerator_;
        if (phase_ >= denominator_) phase_ -= denominator_;
    }

  private:
    std::uint64_t numerator_, denominator_;
    std::uint64_t phase_ = 0;
};

}  // namespace trnsim::tlm::core_fast
