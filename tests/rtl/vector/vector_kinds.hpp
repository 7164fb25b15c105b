// The kinds of Vector instructions that random programs are made of.
#pragma once

#include "tests/rtl/lanes/lane_generator.hpp"

namespace trnsim::test {

const std::vector<Kind>& vector_kinds();

}  // namespace trnsim::test
