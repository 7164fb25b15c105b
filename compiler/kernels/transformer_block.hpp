// A transformer block, forward.
#pragma once

#include "compiler/kernels/kernel.hpp"

namespace trnsim::kernels {

// Arguments seq, width, heads, dtype, causal, ranks. h = x + attention(layernorm(x)) wo, y = h +
// (gelu(layernorm(h) w1 + b1) w2 + b2). x, y [seq, width] and the weights in dtype: wq, wk, wv, wo [width,
// width], w1 [width, 4 width], w2 [4 width, width]; gamma1, beta1, gamma2, beta2, b2 [width] and b1 [4 width]
// in fp32. Head i has the columns of q, k and v from i * width / heads on. Results between layers go through
// HBM in dtype, h in fp32. Throws ArgumentError when `heads` does not divide `width`, or `ranks` does not
// divide `heads`.
//
// Each of several ranks has `heads` / ranks heads, with their columns of wq, wk and wv and rows of wo, and as
// many of the columns of w1 and b1 and rows of w2. Two all-reduces add the products with wo and w2 in fp32; x
// and y are the same on all ranks.
extern const Kernel TransformerBlockKernel;

}  // namespace trnsim::kernels
