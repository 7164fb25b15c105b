// c = a.T @ b on the Tensor engine.
#pragma once

#include "lib/builder/target.hpp"
#include "lib/kernels/arguments.hpp"
#include "lib/neff/package.hpp"

namespace trnsim::kernels {

// Arguments M, K, N, dtype. Inputs a [K, M] and b [K, N] in dtype, output c [M, N] in fp32. K tiles of the
// array's rows are chains of their own, added up in ascending order. Throws builder::Error.
neff::Package build_matmul(const Arguments& arguments, const builder::Target& target);

}  // namespace trnsim::kernels
