// Instructions that a sequencer executes itself, in closed form (docs/sequencers.md). Cycles of the bus
// clock.
#pragma once

#include "arch/config/config.hpp"
#include "arch/cost/cycles.hpp"
#include "isa/instruction.hpp"

namespace trnsim::cost {

// Cycles between the issues of two instructions of the data path if the engine takes each at once: check,
// wait, offer.
constexpr std::uint64_t HandOver = 3;
// Cycles from the edge after the end of an instruction in its engine to its completion, which updates its
// semaphore.
constexpr std::uint64_t Retire = 1;

struct ControlContext {
    std::uint64_t memory_latency = 0;  // cycles from an address to the answer of system memory
    bool known = false;                // memory_latency is exact, not an estimate
    bool taken = false;                // a branch with a condition jumps
};

// Returns the latency in cycles of a memory that nothing else uses.
std::uint64_t memory_latency(const config::Config& config);

// `completes` counts from the issue to the completion, `occupies` from the issue to that of the next
// instruction of the kind.
Cycles control_cycles(const isa::Instruction& instruction, const config::Core& core,
                      const ControlContext& context);

}  // namespace trnsim::cost
