// Kinds of ALU operations that Vector instructions take (docs/instruction-semantics.md).
#pragma once

#include <algorithm>
#include <array>

#include "isa/isa_tables.hpp"

namespace trnsim::isa {

constexpr bool is_bit_operation(AluOp op) {
    return op >= AluOp::BitwiseAnd && op <= AluOp::ShiftRight;
}

// Operations of Vector on fp32 values, including bypass.
constexpr bool is_arithmetic(AluOp op) {
    return op <= AluOp::Relu && !is_bit_operation(op) && op != AluOp::Rsqrt && op != AluOp::Power;
}

// Operations of Vector that take one value; with swapped operands they take two.
constexpr bool is_unary(AluOp op) {
    constexpr std::array Ops{AluOp::Bypass,     AluOp::LogicalNot, AluOp::BitwiseNot, AluOp::Abs,
                             AluOp::Reciprocal, AluOp::Square,     AluOp::Relu};
    return std::ranges::find(Ops, op) != Ops.end();
}

// Operations that reduce fp32 values; reduces_bits() has those that reduce bits.
constexpr bool reduces(AluOp op) {
    constexpr std::array Ops{AluOp::Add,       AluOp::Subtract,  AluOp::Multiply, AluOp::Max,
                             AluOp::Min,       AluOp::AbsMax,    AluOp::AbsMin,   AluOp::LogicalAnd,
                             AluOp::LogicalOr, AluOp::LogicalXor};
    return std::ranges::find(Ops, op) != Ops.end();
}
constexpr bool reduces_bits(AluOp op) {
    return op == AluOp::BitwiseAnd || op == AluOp::BitwiseOr || op == AluOp::BitwiseXor;
}

}  // namespace trnsim::isa
