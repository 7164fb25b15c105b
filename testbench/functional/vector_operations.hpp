// What each Vector instruction computes: one function an instruction, docs/instruction-semantics.md has the
// rules. They put results into the Work; the caller commits.
#pragma once

#include "testbench/functional/work.hpp"

namespace trnsim::functional {

// elementwise.cpp
void tensor_copy(Work& work);
void memset(Work& work);
void tensor_tensor(Work& work);
void tensor_scalar(Work& work);
void scalar_tensor_tensor(Work& work);
void reciprocal(Work& work);

// predicated.cpp
void tensor_copy_predicated(Work& work);
void select_reduce(Work& work);

// reductions.cpp
void tensor_reduce(Work& work);
void tensor_scalar_reduce(Work& work);
void tensor_tensor_scan(Work& work);
void tensor_scalar_cumulative(Work& work);
void read_accumulator(Work& work);

// statistics.cpp
void bn_stats(Work& work);
void bn_aggr(Work& work);

// search.cpp
void max8(Work& work);
void find_index8(Work& work);
void match_replace8(Work& work);

// shuffle.cpp
void load_shuffle_mask(const isa::Instruction& instruction, LaneState& state);
void stream_shuffle(Work& work);
void transpose_block(Work& work);

// random.cpp
void dropout(Work& work);
void rng(Work& work);
void set_rng_seed(Work& work);

}  // namespace trnsim::functional
