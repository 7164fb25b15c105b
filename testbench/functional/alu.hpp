// ALU operations of the Vector and Scalar engines.
#pragma once

#include <cstdint>

#include "isa/instruction.hpp"

namespace trnsim::functional {

// A bit operation works on storage bits and makes its instruction raw; bypass can stand beside both kinds.
bool is_bit_operation(isa::AluOp op);

// One ALU operation with its operand order.
struct Step {
    float (*apply)(float, float);
    bool reverse;
    float operator()(float x, float y) const { return reverse ? apply(y, x) : apply(x, y); }
};
struct BitStep {
    std::uint32_t (*apply)(std::uint32_t, std::uint32_t);
    bool reverse;
    std::uint32_t operator()(std::uint32_t x, std::uint32_t y) const {
        return reverse ? apply(y, x) : apply(x, y);
    }
};

// Return the operation in an instruction's fields. Throw Error for one that the kind of instruction does not
// have.
Step step_of(const isa::Instruction& instruction, const isa::Field& op, const isa::Field& reverse);
BitStep bit_step_of(const isa::Instruction& instruction, const isa::Field& op, const isa::Field& reverse);

// Return a reducing operation, which takes its operands in order only.
Step reduction_of(const isa::Instruction& instruction, const isa::Field& op, const isa::Field& reverse);
BitStep bit_reduction_of(const isa::Instruction& instruction, const isa::Field& op,
                         const isa::Field& reverse);

}  // namespace trnsim::functional
