// Operands of instructions besides tensors.
#pragma once

#include <variant>

#include "lib/builder/tile.hpp"

namespace trnsim::builder {

// A constant, or a [partitions, 1] tile in SBUF: fp32, where nothing else is said.
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

// What comes with an activation function: f(a * scale + bias).
struct ActivationOptions {
    Scalar scale = 1.0f;
    Scalar bias = -0.0f;  // -0 adds nothing, whatever the sign of a zero; a tile of any type but tf32
    float alpha = 0.0f;   // slope of prelu
    isa::ReduceCmd reduce = isa::ReduceCmd::Idle;
};

}  // namespace trnsim::builder
