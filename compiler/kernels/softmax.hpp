// Softmax over the columns.
#pragma once

#include "compiler/kernels/kernel.hpp"

namespace trnsim::kernels {

// Arguments rows, cols, dtype; x -> y, both [rows, cols] in dtype. Vector finds the maximum of each row,
// Scalar computes exp(x - maximum) and its sums, Vector multiplies by their reciprocal; intermediate results
// are fp32. Rows that do not fit SBUF are read three times, in chunks.
extern const Kernel SoftmaxKernel;

}  // namespace trnsim::kernels
