// What the Vector engine's instructions compute.
#pragma once

#include "testbench/functional/operand.hpp"

namespace trnsim::functional {

// tensor_copy, tensor_tensor or tensor_scalar. Throws Error for other instructions, ALU operations that are
// not modelled, two sources in PSUM and stochastic rounding.
void run_vector(const isa::Instruction& instruction, const neff::Target& target, CoreMemory& memory);

}  // namespace trnsim::functional
