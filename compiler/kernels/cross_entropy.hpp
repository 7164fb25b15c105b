// Cross entropy of logits and labels, and its gradient.
#pragma once

#include "compiler/kernels/kernel.hpp"

namespace trnsim::kernels {

// Arguments rows, classes; logits [rows, classes] in fp32, labels [rows] in i32 -> loss [rows], dlogits
// [rows, classes], both fp32.
// loss = log(sum of exp(logits)) - logits[label] of each row; dlogits = (softmax - onehot) / rows, the
// gradient of the mean loss. For a label that is no class the loss is +infinity and the row of onehot is 0.
// Exponentials and logarithms run on Scalar; labels become predicates on Vector by
// comparison with 0, 1, 2, ... Rows that do not fit SBUF are read three times, in chunks.
extern const Kernel CrossEntropyKernel;

}  // namespace trnsim::kernels
