// The part of a package that is enough to see how two models differ.
#pragma once

#include <cstddef>
#include <functional>

#include "compiler/neff/package.hpp"

namespace trnsim::parity {

// Whether a package that is sound shows the difference. What cannot be run does not.
using Shows = std::function<bool(const neff::Package&)>;

// Takes out of a package that shows the difference what does not matter for it: instructions of the engines' own, transfers, then
// waits, and updates that nobody waits for. What is left still shows it. Control flow, register instructions and collectives stay.
neff::Package shrink(neff::Package package, const Shows& shows);

// Of all engines.
std::size_t instructions_of(const neff::Package& package);

}  // namespace trnsim::parity
