// c = a.T @ b on the Tensor engine.
#pragma once

#include "compiler/kernels/kernel.hpp"

namespace trnsim::kernels {

// Arguments M, K, N, dtype, ta, tb. Inputs a [K, M] (ta=0: [M, K]) and b [K, N] (tb=1: [N, K]) in dtype,
// output c [M, N] in fp32. DMA transposes what is not rows of K. K tiles of the array's rows are chains of
// their own, summed in ascending order. Throws builder::Error.
extern const Kernel MatmulKernel;

}  // namespace trnsim::kernels
