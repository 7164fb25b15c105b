// Combines the elements that a transfer moves with those at its destination.
#pragma once

#include <cstdint>
#include <span>

#include "compiler/neff/package.hpp"

namespace trnsim::functional {

// Computes moved = op(moved, there), element by element. Throws Error for an undefined operation.
void combine(const neff::Combination& combination, std::span<std::uint8_t> moved,
             std::span<const std::uint8_t> there);

}  // namespace trnsim::functional
