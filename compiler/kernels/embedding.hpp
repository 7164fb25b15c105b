// Selection of rows of a table by their numbers.
#pragma once

#include "compiler/kernels/kernel.hpp"

namespace trnsim::kernels {

// Arguments rows, vocabulary, dim, dtype; table [vocabulary, dim] of any type, ids [rows] in i32 -> y [rows,
// dim]. y[i] = table[ids[i]], 0 for a number outside the table. The DMA engines gather the rows of a block by
// a tile of numbers.
extern const Kernel EmbeddingKernel;

}  // namespace trnsim::kernels
