// Random programs for co-simulation: every instruction of the core with operands of all kinds, and illegal
// instructions.
#pragma once

#include <random>

#include "tests/common/riscv/program.hpp"

namespace trnsim::test {

// The weights of the kinds of instructions in a program.
struct Mix {
    unsigned integer = 10;
    unsigned memory = 4;
    unsigned control = 2;  // branches, loops, CSRs, traps
    unsigned floating = 6;
    unsigned configure = 3;  // vset*
    unsigned vector_integer = 12;
    unsigned vector_float = 6;
    unsigned vector_memory = 6;
    unsigned segments = 0;  // all legal loads and stores of fields, with equal weights
    unsigned streams = 0;   // vector loads, operations and stores that follow each other closely
};

// Makes a program for a core with vector registers of `vlen` bits.
Program random_program(std::mt19937_64& generator, const Mix& mix, std::size_t instructions,
                       std::uint32_t vlen = 512);

}  // namespace trnsim::test
