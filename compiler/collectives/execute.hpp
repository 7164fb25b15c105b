// Carries out a schedule on memories of the host: what its transfers compute, without time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/collectives/schedule.hpp"

namespace trnsim::collectives {

// The buffers of a rank, by Buffer.
using Memory = std::array<std::vector<std::uint8_t>, BufferCount>;

// A memory for each rank, of the sizes of the schedule; every byte is `filling`.
std::vector<Memory> make_memories(const Schedule& schedule, std::uint8_t filling);

struct Execution {
    std::uint32_t rounding_seed = 0;  // of stochastic rounding, on every engine
    std::uint64_t order_seed = 0;     // which of the steps that have nothing to wait for is next
};

// Steps take place one after the other, in an order that their waits allow and nothing else decides. Throws
// Error if a memory is smaller than the schedule's, or some steps wait for each other.
void execute(const Schedule& schedule, std::vector<Memory>& memories, const Execution& execution);

}  // namespace trnsim::collectives
