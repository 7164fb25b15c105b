// The kinds of Scalar instructions that random programs are made of.
#pragma once

#include "testbench/random_programs/lane_generator.hpp"

namespace trnsim::random_programs {

const std::vector<Kind>& scalar_kinds();

// Returns an act_table_load of any set. A program should begin with one; without it, it has few functions.
isa::Instruction any_table_load(LaneGenerator& generator);

}  // namespace trnsim::random_programs
