// Arbitrates a port that every slice of the memories has (rtl/memory/slice_arbiter.sv): of the requesters
// that want the same slice one is served; the requester that has the turn goes first.
#pragma once

#include <cstdint>
#include <span>

namespace trnsim::tlm::core_fast {

class SliceArbiter {
  public:
    static constexpr std::uint32_t None = ~0U;  // a requester that wants no slice

    // Returns the served requesters among those that want a slice, one bit each.
    std::uint32_t grants(std::span<const std::uint32_t> slices, bool hold) const {
        std::uint32_t granted = 0;
        if (hold) return granted;
        const auto count = static_cast<std::uint32_t>(slices.size());
        std::uint32_t wanted = 0;
        for (std::uint32_t i = 0; i < count; ++i) wanted |= std::uint32_t{slices[i] != None} << i;
        if ((wanted & (wanted - 1)) == 0) return wanted;  // there is only one requester
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t one = (turn_ + i) % count;
            bool free = slices[one] != None;
            for (std::uint32_t j = 0; j < i && free; ++j) {
                const std::uint32_t other = (turn_ + j) % count;
                free = !((granted >> other & 1) != 0 && slices[other] == slices[one]);
            }
            granted |= std::uint32_t{free} << one;
        }
        return granted;
    }
    // The turn passes on in a cycle in which a requester waits.
    void edge(std::span<const std::uint32_t> slices, std::uint32_t granted, bool hold) {
        bool waits = false;
        for (std::uint32_t i = 0; i < slices.size(); ++i)
            waits |= slices[i] != None && (granted >> i & 1) == 0;
        if (waits && !hold) turn_ = (turn_ + 1) % static_cast<std::uint32_t>(slices.size());
    }

  private:
    std::uint32_t turn_ = 0;
};

}  // namespace trnsim::tlm::core_fast
