// Gradients of layernorm.
#pragma once

#include "compiler/kernels/kernel.hpp"

namespace trnsim::kernels {

// Arguments rows, cols, dtype, eps; x, dy [rows, cols] in dtype, gamma [cols] in fp32 -> dx like x, dgamma
// and dbeta [cols] in fp32.
// n = (x - mean) s, s = 1 / sqrt(variance + eps), g = dy gamma; dx = (g - mean(g) - n mean(g n)) s, dgamma =
// sum over the rows of dy n, dbeta = sum of dy. Scalar sums over columns, the Tensor engine over rows. Rows
// longer than half of PSUM, or too long for SBUF, are read in chunks: once for the statistics, twice for dx
// and once, all rows of a chunk after each other, for dgamma and dbeta.
extern const Kernel LayernormBackwardKernel;

}  // namespace trnsim::kernels
