// Instructions that a sequencer executes itself, in closed form (docs/sequencers.md). Cycles of the bus clock.
#pragma once

#include "arch/config/config.hpp"
#include "arch/cost/cycles.hpp"
#include "isa/instruction.hpp"

namespace trnsim::cost {

// Between the issues of two instructions of the data path that the engine takes at once: check, wait, offer.
constexpr std::uint64_t HandOver = 3;
// From the edge behind the end of an instruction in its engine to its completion, which updates its semaphore.
constexpr std::uint64_t Retire = 1;

struct ControlContext {
    std::uint64_t memory_latency = 0;  // from an address to the answer of system memory
    bool known = false;                // it is what memory takes, not what it may take
    bool taken = false;                // of a branch with a condition
};

// The latency in cycles of a memory that nobody else uses.
std::uint64_t memory_latency(const config::Config& config);

// `completes` counts from the issue, `occupies` from there to that of the next one of its kind.
Cycles control_cycles(const isa::Instruction& instruction, const config::Core& core,
                      const ControlContext& context);

}  // namespace trnsim::cost
