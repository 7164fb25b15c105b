// Cross entropy of logits and labels, and its gradient.
#pragma once

#include "lib/builder/target.hpp"
#include "lib/kernels/arguments.hpp"
#include "lib/neff/package.hpp"

namespace trnsim::kernels {

// Arguments rows, classes; logits [rows, classes] in fp32, labels [rows] in i32 -> loss [rows],
// dlogits [rows, classes], both fp32.
// loss = log(sum of exp(logits)) - logits[label] of each row; dlogits = (softmax - onehot) / rows, the
// gradient of the mean loss. A label of no class: loss +infinity, no one in its row of dlogits.
// Exponentials and logarithms on Scalar; labels become predicates on Vector by comparison with 0, 1, 2, ...
// Rows that do not fit SBUF are read three times, in chunks.
neff::Package build_cross_entropy(const Arguments& arguments, const builder::Target& target);

}  // namespace trnsim::kernels
