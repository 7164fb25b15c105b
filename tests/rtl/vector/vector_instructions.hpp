// Vector instructions, and how much the engine writes for them.
#pragma once

#include "testbench/random_programs/vector_instructions.hpp"
#include "tests/rtl/vector/memories.hpp"

namespace trnsim::test {

// Row writes that the engine makes for an instruction, one a result. `core_stochastic`: what Rounding::Core
// means.
std::uint64_t result_rows(const isa::Instruction& instruction, bool core_stochastic);

}  // namespace trnsim::test
