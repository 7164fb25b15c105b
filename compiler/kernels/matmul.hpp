// c = a.T @ b on the Tensor engine.
#pragma once

#include "compiler/kernels/kernel.hpp"

namespace trnsim::kernels {

// Arguments M, K, N, dtype. Inputs a [K, M] and b [K, N] in dtype, output c [M, N] in fp32. K tiles of the
// array's rows are chains of their own, summed in ascending order. Throws builder::Error.
extern const Kernel MatmulKernel;

}  // namespace trnsim::kernels
