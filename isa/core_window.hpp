// Places in the core window that depend on the core.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "isa/isa_tables.hpp"

namespace trnsim::isa {

// Bytes from the start of one SBUF partition to the next: the window is cut into a power of two of
// partitions, at least 128.
constexpr std::uint32_t sbuf_partition_stride(std::uint32_t partitions) {
    constexpr std::uint32_t Least = 128;
    return window::SbufWindow / std::max(std::bit_ceil(partitions), Least);
}

// The bytes of a semaphore in each of the window's views of them.
constexpr std::uint32_t SemaphoreBytes = 4;

}  // namespace trnsim::isa
