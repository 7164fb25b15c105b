// Numbers of one type as those of another.
#pragma once

#include "compiler/hlo/evaluate/value.hpp"

namespace trnsim::hlo::evaluate {

// Rounds once, to nearest even. A real number becomes an integer by truncation; what is too large becomes the largest
// number, NaN 0. Integers lose their high bits.
Cell converted(Cell value, ElementType from, ElementType to);

// Rounds a real number away from zero where `random`, as a fraction of its width, is less than what truncation leaves off.
Cell stochastically_converted(Cell value, Cell random, ElementType from, ElementType to);

}  // namespace trnsim::hlo::evaluate
