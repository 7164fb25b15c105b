// The shape of an instruction's result.
#pragma once

#include "compiler/hlo/module.hpp"

namespace trnsim::hlo {

// Returns the shape that an instruction has, from its operands and attributes. What these leave open (the type of a
// convert, the sizes of a reshape) it takes from the instruction's own shape after checking it. Throws Error without the
// name of the instruction.
Shape infer_shape(const Module& module, const Computation& computation, const Instruction& instruction);

}  // namespace trnsim::hlo
