// What a Vector instruction does to the memories, element by element: the golden reference of the engine.
#pragma once

#include "testbench/isa/instruction.hpp"
#include "tests/rtl/vector/memories.hpp"

namespace trnsim::test {

void execute(const isa::Instruction& instruction, Memories& memories);

// Elements per partition.
std::uint64_t elements(const isa::Instruction& instruction);

}  // namespace trnsim::test
