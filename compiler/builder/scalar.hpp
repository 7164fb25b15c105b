// Operands of instructions besides tensors.
#pragma once

#include <variant>

#include "compiler/builder/tile.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::builder {

// A constant, or a [partitions, 1] tile in SBUF: fp32 by default.
using Scalar = std::variant<float, Tile>;

// x op y, or y op x when reversed.
struct AluOrder {
    AluOrder(isa::AluOp op, bool reverse = false) : op(op), reverse(reverse) {}
    isa::AluOp op;
    bool reverse;
};

// One ALU step with a scalar: x op operand, or operand op x when reversed.
struct AluStep {
    isa::AluOp op = isa::AluOp::Bypass;
    Scalar operand = 0.0f;
    bool reverse = false;
};

// Returns the first set of activation tables that has a function. Throws Error when none has it.
isa::ActivationSet first_set_with(isa::Activation function);

}  // namespace trnsim::builder
