// A network with one hidden layer.
#pragma once

#include "compiler/kernels/kernel.hpp"

namespace trnsim::kernels {

// Arguments batch, inputs, hidden, outputs, dtype. Samples are columns: x [inputs, batch], w1 [inputs,
// hidden], w2 [hidden, outputs] in dtype, b1 [hidden] and b2 [outputs] in fp32; y [outputs, batch] in fp32
// is w2.T @ h + b2 with h = relu(w1.T @ x + b1) rounded to dtype. K tiles: the array's rows for w1; for w2
// the smaller of rows and columns. Throws builder::Error when the hidden layer of a single sample does not
// fit SBUF.
extern const Kernel MlpKernel;

}  // namespace trnsim::kernels
