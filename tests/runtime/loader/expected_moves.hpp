// Moves the bytes of a package's transfers, element by element, from the patterns alone.
#pragma once

#include "compiler/neff/package.hpp"
#include "runtime/loader/plain_memory.hpp"

namespace trnsim::test {

// The system addresses at which patterns may begin.
struct Bases {
    std::vector<std::uint64_t> tensors, images;
    std::uint64_t window = 0;  // window of the core
};

// Returns the address of element `number` of a pattern in an iteration of its loop.
std::uint64_t element_address(const neff::Pattern& pattern, const Bases& bases, std::uint64_t iteration,
                              std::uint64_t number);

// Executes a transfer in an iteration of its loop.
void move_elements(PlainMemory& memory, const neff::Transfer& transfer, const Bases& bases,
                   std::uint64_t iteration);

}  // namespace trnsim::test
