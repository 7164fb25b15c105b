// The kinds of Vector instructions that random programs are made of.
#pragma once

#include "testbench/random_programs/lane_generator.hpp"

namespace trnsim::random_programs {

const std::vector<Kind>& vector_kinds();

}  // namespace trnsim::random_programs
