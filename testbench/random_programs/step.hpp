// An instruction of a random program.
#pragma once

#include <vector>

#include "isa/instruction.hpp"
#include "testbench/random_programs/area.hpp"

namespace trnsim::random_programs {

struct Touched {
    Area area;
    bool write;
};

struct Step {
    isa::Engine engine;
    isa::Instruction instruction;
    std::vector<Touched> touched{};  // by a command of GpSimd; its operands are not in the instruction
};

}  // namespace trnsim::random_programs
