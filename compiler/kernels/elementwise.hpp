// Element-wise kernels.
#pragma once

#include "compiler/kernels/kernel.hpp"

namespace trnsim::kernels {

// Arguments rows, cols, dtype; x [rows, cols] fp32 -> y [rows, cols] dtype, on Vector.
extern const Kernel CastKernel;

// Arguments rows, cols, dtype; x -> y, both [rows, cols] in dtype, y = gelu(x) on Scalar.
extern const Kernel GeluKernel;

// The same arguments, with dy [rows, cols] in dtype -> dx = dy gelu'(x): the derivative on Scalar, the
// product on Vector.
extern const Kernel GeluBackwardKernel;

}  // namespace trnsim::kernels
