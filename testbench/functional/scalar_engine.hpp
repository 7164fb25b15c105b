// Executes the Scalar engine's instructions.
#pragma once

#include "isa/instruction.hpp"
#include "testbench/functional/core_memory.hpp"
#include "testbench/functional/lane_state.hpp"

namespace trnsim::functional {

// Runs one data-path instruction of the Scalar engine or an act_table_load, as docs/instruction-semantics.md
// says. It has been accepted (refusal.hpp). The caller does waits and updates. Throws Error for reading a byte
// that nothing has written.
void run_scalar(const isa::Instruction& instruction, const target::Core& target, LaneState& state,
                CoreMemory& memory);

}  // namespace trnsim::functional
