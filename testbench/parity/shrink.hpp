// The part of a package that is enough to see how two models differ.
#pragma once

#include <cstddef>
#include <functional>

#include "compiler/neff/package.hpp"

namespace trnsim::parity {

// Returns whether a sound package shows the difference. A package that cannot be run does not.
using Shows = std::function<bool(const neff::Package&)>;

// Removes from a package that shows the difference what does not matter for it: instructions that work on
// data, transfers, then waits, and updates for which no instruction waits. The rest still shows the
// difference. Control flow, register instructions and collectives stay.
neff::Package shrink(neff::Package package, const Shows& shows);

// Counts the instructions of all engines.
std::size_t instructions_of(const neff::Package& package);

}  // namespace trnsim::parity
