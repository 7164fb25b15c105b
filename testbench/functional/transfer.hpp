// DMA transfers.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "testbench/functional/core_memory.hpp"

namespace trnsim::functional {

// The offsets of a pattern's elements in its own order: calls `visit` with the bytes from pattern.offset to
// each.
void for_each_element(const neff::Pattern& pattern, const std::function<void(std::int64_t)>& visit);

// Moves the elements. `tensors`: the contents by Package::tensors. Throws Error outside a tensor or the
// core's memories.
void run_transfer(const neff::Transfer& transfer, std::vector<std::vector<std::uint8_t>>& tensors,
                  CoreMemory& memory);

}  // namespace trnsim::functional
