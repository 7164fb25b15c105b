// Execution of the Vector engine's instructions; docs/instruction-semantics.md has the rules.
#pragma once

#include "model/values/check.hpp"
#include "model/values/lanes.hpp"

namespace trnsim::fast {

class VectorEngine {
  public:
    explicit VectorEngine(std::size_t lanes);
    // Returns whether a NaN was written. Throws std::invalid_argument, which names the instruction, for one
    // that is not built.
    bool execute(const Operation& operation, Memories& memories, bool stochastic);

    LaneState state;
    LaneGenerators random;  // used by rng and dropout
    ShuffleMask mask{};
};

// elementwise.cpp
void tensor_copy(LaneRun& run);
void memset(LaneRun& run);
void tensor_tensor(LaneRun& run);
void tensor_scalar(LaneRun& run);
void scalar_tensor_tensor(LaneRun& run);
void reciprocal(LaneRun& run);
void read_accumulator(LaneRun& run);

// predicated.cpp
void tensor_copy_predicated(LaneRun& run);
void select_reduce(LaneRun& run);

// reductions.cpp
void tensor_reduce(LaneRun& run);
void tensor_scalar_reduce(LaneRun& run);
void tensor_tensor_scan(LaneRun& run);
void tensor_scalar_cumulative(LaneRun& run);
void bn_stats(LaneRun& run);
void bn_aggr(LaneRun& run);

// search.cpp
void max8(LaneRun& run);
void find_index8(LaneRun& run);
void match_replace8(LaneRun& run);

// movement.cpp
void stream_shuffle(LaneRun& run, const ShuffleMask& mask);
void transpose_block(LaneRun& run);

// random.cpp
void dropout(LaneRun& run, LaneGenerators& random);
void rng(LaneRun& run, LaneGenerators& random);
void set_rng_seed(const Operation& operation, const Memories& memories, LaneGenerators& random);

// The state of the lanes of a group, in the order of the chains.
struct GroupState {
    alignas(kernels::Padding) std::array<float, kernels::Lanes> values;
};
// Adds the elements of a group's rows to its accumulators, in order; with `anew` the first element starts
// them.
void accumulate_group(std::vector<float>& accumulators, isa::AluOp op, const Group& group, const Rows& values,
                      bool anew);

}  // namespace trnsim::fast
