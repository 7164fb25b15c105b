// The arithmetic of instructions that compute each element from those at its place.
#pragma once

#include <span>

#include "compiler/hlo/evaluate/value.hpp"
#include "compiler/hlo/module.hpp"

namespace trnsim::hlo::evaluate {

// Computes `count` cells from as many of each operand; `bits` are those of the integer type. Results are not settled.
using Kernel = void (*)(const Cell* const* operands, Cell* result, std::size_t count, unsigned bits);

// The kernel of an instruction for operands of this type; nullptr where it has none: convert, select, clamp and
// reduce-precision have attributes or operands of several types.
Kernel kernel_of(const Instruction& instruction, ElementType operands);

// Computes an elementwise instruction of any kind and settles the result. An operand of `scalar` operands has one cell,
// which serves all elements.
void compute(const Instruction& instruction, std::span<const ElementType> types, const Cell* const* operands,
             const bool* scalar, Cell* result, std::size_t count);

bool is_elementwise(Opcode opcode);

}  // namespace trnsim::hlo::evaluate
