// The kinds of Scalar instructions that random programs are made of.
#pragma once

#include "tests/rtl/lanes/lane_generator.hpp"

namespace trnsim::test {

const std::vector<Kind>& scalar_kinds();

}  // namespace trnsim::test
