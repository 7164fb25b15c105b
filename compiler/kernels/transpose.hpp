// Transposition of a matrix.
#pragma once

#include "compiler/kernels/kernel.hpp"

namespace trnsim::kernels {

// Arguments rows, cols, dtype (any); x [rows, cols] -> y [cols, rows], every bit unchanged.
// Vector transposes blocks of a quadrant's rows within each quadrant. A quadrant has many neighbouring rows
// of x, in consecutive groups of its own number of partitions, so that DMA moves long rows on both sides.
extern const Kernel TransposeKernel;

}  // namespace trnsim::kernels
