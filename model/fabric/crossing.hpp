// The path between the two sides of a chip: its cores with their DMA engines and stacks. Each direction
// carries data at a bandwidth of its own; requests and answers without data take no time on it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/protocol/types.hpp"

namespace trnsim::tlm::fabric {

// The sides, 0 or 1, of initiators and targets; those beyond the end, and those with nothing, are on none.
struct Sides {
    std::vector<std::optional<unsigned>> initiators, targets;
    std::uint64_t bandwidth = 0;  // bytes/s each way; 0: unlimited
};

class Crossing {
  public:
    explicit Crossing(Sides sides) : sides_(std::move(sides)) {}

    // Reserves the path for the data of a request made at a time. Returns how much later it is on the other
    // side than without the path: 0 for an access that stays on its side. The data of a read is reserved with
    // its request, as long before it as all reads are.
    Time delay(const Payload& payload, unsigned initiator, unsigned target, Time at) {
        if (sides_.bandwidth == 0) return 0;
        const auto from = side_of(sides_.initiators, initiator), to = side_of(sides_.targets, target);
        if (!from || !to || *from == *to) return 0;
        Time& free = free_[payload.is_read() ? *to : *from];
        free = std::max(free, at) + duration(payload.get_data_length(), sides_.bandwidth);
        return free - at;
    }

  private:
    static std::optional<unsigned> side_of(const std::vector<std::optional<unsigned>>& sides, unsigned at) {
        return at < sides.size() ? sides[at] : std::nullopt;
    }

    Sides sides_;
    std::array<Time, 2> free_{};  // by the side that the data comes from: when it can take more
};

}  // namespace trnsim::tlm::fabric
