// Elements that a transfer combines with those that are there.
#pragma once

#include <cstdint>
#include <span>

#include "compiler/neff/package.hpp"

namespace trnsim::functional {

// moved = op(moved, there), element by element. Throws Error for an operation that there is not.
void combine(const neff::Combination& combination, std::span<std::uint8_t> moved,
             std::span<const std::uint8_t> there);

}  // namespace trnsim::functional
