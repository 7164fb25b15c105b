// Kernels that work element by element.
#pragma once

#include "lib/builder/target.hpp"
#include "lib/kernels/arguments.hpp"
#include "lib/neff/package.hpp"

namespace trnsim::kernels {

// Arguments rows, cols, dtype; x [rows, cols] fp32 -> y [rows, cols] dtype, on Vector.
neff::Package build_cast(const Arguments& arguments, const builder::Target& target);

// Arguments rows, cols, dtype; x -> y, both [rows, cols] in dtype, y = gelu(x) on Scalar.
neff::Package build_gelu(const Arguments& arguments, const builder::Target& target);

// The same with dy [rows, cols] in dtype -> dx = dy gelu'(x): the derivative on Scalar, the product on
// Vector.
neff::Package build_gelu_backward(const Arguments& arguments, const builder::Target& target);

}  // namespace trnsim::kernels
