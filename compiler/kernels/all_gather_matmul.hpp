// y = the rows of all ranks, times w.
#pragma once

#include "compiler/kernels/kernel.hpp"

namespace trnsim::kernels {

// Arguments M, K, N, dtype, ranks, pieces (a divisor of M). x [M, K] and w [K, N] in dtype, y [ranks M, N] in
// fp32: the rows of x of all ranks, one rank after the other, times this rank's w. Rows are gathered in
// pieces, so that one piece is multiplied while the next is transferred. Throws builder::Error,
// ArgumentError.
extern const Kernel AllGatherMatmulKernel;

}  // namespace trnsim::kernels
