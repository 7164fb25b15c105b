// Reductions of a matrix along one axis.
#pragma once

#include "compiler/kernels/kernel.hpp"

namespace trnsim::kernels {

// Arguments rows, cols, op (add, max, min, multiply), axis; x [rows, cols] in fp32 -> y in fp32, [cols] for
// axis 0, [rows] for axis 1.
// Axis 1: tensor_reduce of each chunk of columns, then of the chunks' results. Axis 0 with add: the rows
// times ones on the Tensor engine. Axis 0 with another operation: all blocks of rows are combined into one
// block, and its quadrants into one quadrant, which is transposed and reduced.
extern const Kernel ReduceKernel;

}  // namespace trnsim::kernels
