// A transformer block, forward.
#pragma once

#include "lib/kernels/kernel.hpp"

namespace trnsim::kernels {

// Arguments seq, width, heads, dtype, causal. h = x + attention(layernorm(x)) wo, y = h + (gelu(layernorm(h)
// w1 + b1) w2 + b2). x, y [seq, width] and the weights in dtype: wq, wk, wv, wo [width, width], w1 [width,
// 4 width], w2 [4 width, width]; gamma1, beta1, gamma2, beta2, b2 [width] and b1 [4 width] in fp32. Head i
// has columns i * width / heads onwards of q, k and v. What passes between layers goes through HBM in dtype,
// h in fp32. Throws ArgumentError when `heads` does not divide `width`.
extern const Kernel TransformerBlockKernel;

}  // namespace trnsim::kernels
