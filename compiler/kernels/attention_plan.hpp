// The cutting of attention so that it fits a target.
#pragma once

#include "compiler/kernels/attention.hpp"

namespace trnsim::kernels {

struct AttentionPlan {
    std::uint32_t block = 1;  // queries, and keys, in a block
    std::uint32_t group = 1;  // blocks of keys that a block of queries meets at a time
    std::uint32_t parts = 1;  // parts of dim, a block of rows each: K tiles of q k.T
    std::uint32_t slots = 1;  // slots of double-buffered tiles
    std::uint64_t held = 1;   // blocks of keys and values in SBUF
    // Columns of score - maximum; 0: the product of scale and maximum is exact, so that one instruction
    // subtracts and scales.
    std::uint64_t distances = 0;
    bool overlapped = false;  // scores of the next groups run while a group is finished

    std::uint64_t blocks(const AttentionShape& shape) const { return (shape.seq + block - 1) / block; }
};

// Returns 1 / sqrt(dim).
float attention_scale(const AttentionShape& shape);

// Throws builder::Error when a row of q does not fit.
AttentionPlan plan_attention(const Kit& kit, const AttentionShape& shape);

// A group of key blocks for a block of queries.
struct AttentionStep {
    std::uint64_t query = 0, first_key = 0;  // blocks
    std::uint32_t keys = 1;                  // blocks
    bool first = false, last = false;        // first, last step of the block of queries
    bool diagonal = false;                   // its upper right half does not count
    std::uint32_t number = 0;                // number of the step within the block of queries
};
std::vector<AttentionStep> attention_steps(const AttentionShape& shape, const AttentionPlan& plan);

}  // namespace trnsim::kernels
