// Round-robin arbiter: of those who ask, the one after the one served last (rtl/control/round_robin_arbiter.sv). A bit a requester.
#pragma once

#include <cstdint>

namespace trnsim::tlm::core_fast {

class RoundRobin {
  public:
    // A bit, or 0 where nobody asks.
    std::uint32_t grant(std::uint32_t requests) const {
        const std::uint32_t eligible = (requests & ~served_) != 0 ? requests & ~served_ : requests;
        return eligible & (~eligible + 1);
    }
    void advance(std::uint32_t granted) { served_ = granted | (granted - 1); }

  private:
    std::uint32_t served_ = 0;  // those up to the one served last
};

}  // namespace trnsim::tlm::core_fast
