// Outputs with elements that nothing writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/neff/package.hpp"

namespace trnsim::neff {

struct UnwrittenOutput {
    std::size_t tensor = 0;                // index in Package::tensors
    std::uint64_t missing = 0, first = 0;  // number of elements, and the index of the first in C order
};

// Returns e.g. "output 'y': 9 of 24 elements are returned which nothing has written, the first at [5, 0]".
std::string describe(const Package& package, const UnwrittenOutput& output);

// Returns the outputs of a sound package with elements that none of its transfers can write, whatever its
// programs do. Tensors that are updated have contents before. The rows of a scatter count as written.
std::vector<UnwrittenOutput> unwritten_outputs(const Package& package);

}  // namespace trnsim::neff
