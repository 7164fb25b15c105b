// Transposition of a matrix.
#pragma once

#include "lib/builder/target.hpp"
#include "lib/kernels/arguments.hpp"
#include "lib/neff/package.hpp"

namespace trnsim::kernels {

// Arguments rows, cols, dtype (any); x [rows, cols] -> y [cols, rows], every bit unchanged.
// Vector transposes blocks of a quadrant's rows within each quadrant. So that DMA moves long rows on both
// sides, a quadrant holds many neighbouring rows of x, in groups of its own number of partitions one behind
// the other.
neff::Package build_transpose(const Arguments& arguments, const builder::Target& target);

}  // namespace trnsim::kernels
