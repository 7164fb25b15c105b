// Vector instructions, and the number of row writes that the engine makes for them.
#pragma once

#include "testbench/random_programs/vector_instructions.hpp"
#include "tests/rtl/vector/memories.hpp"

namespace trnsim::test {

// Returns the row writes that the engine makes for an instruction, one for each result. `core_stochastic` is
// the meaning of Rounding::Core.
std::uint64_t result_rows(const isa::Instruction& instruction, bool core_stochastic);

}  // namespace trnsim::test
