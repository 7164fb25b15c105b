// A checked and decoded instruction.
#pragma once

#include <array>
#include <cstdint>

#include "isa/instruction.hpp"
#include "model/values/functional_core.hpp"
#include "model/values/operand.hpp"

namespace trnsim::fast {

// A constant, or a [partitions,1] operand instead of it.
struct Immediate {
    std::uint32_t word = 0;  // the constant's bits
    bool vector = false;
    Operand column{};
};

class Operation {
  public:
    isa::Engine engine;
    isa::Instruction instruction;
    isa::Opcode opcode;
    std::uint32_t partitions = 0;
    std::uint64_t elements = 1;  // elements of the shape in a partition
    bool has_dst = false, has_a = false, has_b = false;
    Operand dst, a, b;        // the operands that the format has
    Immediate imm0, imm1;     // scale and bias of an activation
    isa::AluOp op0{}, op1{};  // if the format has operations
    bool reverse0 = false, reverse1 = false;
    isa::ReduceCmd reduce_cmd{};
    isa::Rounding rounding{};

    bool raw_copy() const { return a.dtype == dst.dtype; }
};

// Decodes an instruction that has passed check_operands().
Operation decode(isa::Engine engine, const isa::Instruction& instruction, const Memories& memories);

}  // namespace trnsim::fast
