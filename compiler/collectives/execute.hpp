// Executes the transfers of a schedule on memories of the host, without time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/collectives/schedule.hpp"

namespace trnsim::collectives {

// The buffers of a rank, indexed by Buffer.
using Memory = std::array<std::vector<std::uint8_t>, BufferCount>;

// Returns a memory for each rank, of the sizes of the schedule; every byte is `filling`.
std::vector<Memory> make_memories(const Schedule& schedule, std::uint8_t filling);

struct Execution {
    std::uint32_t rounding_seed = 0;  // for stochastic rounding, on every engine
    std::uint64_t order_seed = 0;     // selects the next step among those that wait for nothing
};

// Executes the steps one after the other, in an order that only their waits restrict. Throws Error if a
// memory is smaller than the schedule's, or if some steps wait for each other.
void execute(const Schedule& schedule, std::vector<Memory>& memories, const Execution& execution);

}  // namespace trnsim::collectives
