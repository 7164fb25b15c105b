// One step of the AdamW optimiser.
#pragma once

#include "compiler/kernels/kernel.hpp"

namespace trnsim::kernels {

// Arguments n, dtype, lr, beta1, beta2, eps, weight_decay, step (from 1), ranks. Tensors [n]: w in dtype, g
// in dtype, m and v in fp32; w, m and v are updated in place.
//   m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2,
//   w = (1 - lr weight_decay) w - lr (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + eps)
// g is the mean of the gradients of all ranks, which an all-reduce sums in dtype; with one rank it is the
// input. The arithmetic is in fp32; w is rounded as the core is set, stochastically if that is on.
extern const Kernel AdamwKernel;

}  // namespace trnsim::kernels
