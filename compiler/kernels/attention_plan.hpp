// How attention is cut so that it fits a target.
#pragma once

#include "compiler/kernels/attention.hpp"

namespace trnsim::kernels {

struct AttentionPlan {
    std::uint32_t block = 1;  // queries, and keys, of a block
    std::uint32_t group = 1;  // blocks of keys that a block of queries meets at a time
    std::uint32_t parts = 1;  // of dim, a block of rows each: K tiles of q k.T
    std::uint32_t slots = 1;  // of what is double buffered
    std::uint64_t held = 1;   // blocks of keys and values in SBUF
    // Columns of score - maximum; 0: scale times the maximum is exact, so that one instruction subtracts and
    // scales.
    std::uint64_t distances = 0;
    bool overlapped = false;  // the next groups' scores run while a group is finished

    std::uint64_t blocks(const AttentionShape& shape) const { return (shape.seq + block - 1) / block; }
};

// 1 / sqrt(dim)
float attention_scale(const AttentionShape& shape);

// Throws builder::Error when a row of q does not fit.
AttentionPlan plan_attention(const Kit& kit, const AttentionShape& shape);

// A group of key blocks that a block of queries meets.
struct AttentionStep {
    std::uint64_t query = 0, first_key = 0;  // blocks
    std::uint32_t keys = 1;                  // blocks
    bool first = false, last = false;        // of the block of queries
    bool diagonal = false;                   // its upper right half does not count
    std::uint32_t number = 0;                // of the step within the block of queries
};
std::vector<AttentionStep> attention_steps(const AttentionShape& shape, const AttentionPlan& plan);

}  // namespace trnsim::kernels
