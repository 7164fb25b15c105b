// Round-robin arbiter: grants the requester after the one served last (rtl/control/round_robin_arbiter.sv).
// One bit for each requester.
#pragma once

#include <cstdint>

namespace trnsim::tlm::core_fast {

class RoundRobin {
  public:
    // Returns the bit of the granted requester, or 0 without a request.
    std::uint32_t grant(std::uint32_t requests) const {
        const std::uint32_t eligible = (requests & ~served_) != 0 ? requests & ~served_ : requests;
        return eligible & (~eligible + 1);
    }
    void advance(std::uint32_t granted) { served_ = granted | (granted - 1); }

  private:
    std::uint32_t served_ = 0;  // requesters up to the one served last
};

}  // namespace trnsim::tlm::core_fast
