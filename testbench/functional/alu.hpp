// ALU operations of the Vector and Scalar engines.
#pragma once

#include <cstdint>

#include "isa/instruction.hpp"

namespace trnsim::functional {

// A bit operation works on storage bits and makes its instruction raw; bypass can stand beside both kinds.
bool is_bit_operation(isa::AluOp op);
// Return whether the engines compute the operation on numbers, or reduce numbers or bits by it.
bool has_arithmetic(isa::AluOp op);
bool has_reduction(isa::AluOp op);

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

// Return the operation in an instruction's fields, which refusal_of() has checked.
Step step_of(const isa::Instruction& instruction, const isa::Field& op, const isa::Field& reverse);
BitStep bit_step_of(const isa::Instruction& instruction, const isa::Field& op, const isa::Field& reverse);

}  // namespace trnsim::functional
