// Compute the Vector instructions: one function for each, by the rules of docs/instruction-semantics.md. They
// put results into the LaneExecution; the caller commits.
#pragma once

#include "testbench/functional/lane_execution.hpp"

namespace trnsim::functional {

// elementwise.cpp
void tensor_copy(LaneExecution& work);
void memset(LaneExecution& work);
void tensor_tensor(LaneExecution& work);
void tensor_scalar(LaneExecution& work);
void scalar_tensor_tensor(LaneExecution& work);
void reciprocal(LaneExecution& work);

// predicated.cpp
void tensor_copy_predicated(LaneExecution& work);
void select_reduce(LaneExecution& work);

// reductions.cpp
void tensor_reduce(LaneExecution& work);
void tensor_scalar_reduce(LaneExecution& work);
void tensor_tensor_scan(LaneExecution& work);
void tensor_scalar_cumulative(LaneExecution& work);
void read_accumulator(LaneExecution& work);

// statistics.cpp
void bn_stats(LaneExecution& work);
void bn_aggr(LaneExecution& work);

// search.cpp
void max8(LaneExecution& work);
void find_index8(LaneExecution& work);
void match_replace8(LaneExecution& work);

// shuffle.cpp
void load_shuffle_mask(const isa::Instruction& instruction, LaneState& state);
void stream_shuffle(LaneExecution& work);
void transpose_block(LaneExecution& work);

// random.cpp
void dropout(LaneExecution& work);
void rng(LaneExecution& work);
void set_rng_seed(LaneExecution& work);

}  // namespace trnsim::functional
