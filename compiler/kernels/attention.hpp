// Attention of one head.
#pragma once

#include "compiler/kernels/kernel.hpp"
#include "compiler/kernels/transposer.hpp"

namespace trnsim::kernels {

// Arguments seq, dim, causal, dtype; q, k, v -> o, all [seq, dim] in dtype; o = softmax(q k.T / sqrt(dim)) v,
// causal: key j counts for query i when j <= i. Online softmax: a block of queries meets groups of keys,
// running maxima and sums are corrected as larger maxima appear; scores stay in PSUM, probabilities are
// rounded to dtype, sums and results are fp32. Keys and values stay in SBUF when they fit.
extern const Kernel AttentionKernel;

struct AttentionShape {
    std::uint64_t seq = 1, dim = 1;
    bool causal = false;
    isa::Dtype dtype = isa::Dtype::Bf16;
};

// The views [seq, dim] q, k, v, o of each head.
struct AttentionHead {
    builder::TensorView q, k, v, o;
};

// Emits several heads one after the other.
void emit_attention(Kit& kit, const AttentionShape& shape, const std::vector<AttentionHead>& heads);

}  // namespace trnsim::kernels
