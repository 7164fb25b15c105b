// What the Scalar engine's instructions compute.
#pragma once

#include "isa/instruction.hpp"
#include "testbench/functional/core_memory.hpp"
#include "testbench/functional/lane_state.hpp"

namespace trnsim::functional {

// Runs one data-path instruction of the Scalar engine or an act_table_load, as docs/instruction-semantics.md
// says. Waits and updates are the caller's. Throws Error for what the engine refuses and for a byte read
// that nothing has written.
void run_scalar(const isa::Instruction& instruction, const target::Core& target, LaneState& state,
                CoreMemory& memory);

}  // namespace trnsim::functional
