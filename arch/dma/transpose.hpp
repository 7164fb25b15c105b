// The encoding of packets that transpose a matrix: rows are read, columns are written (docs/dma.md).
#pragma once

#include <cstdint>

namespace trnsim::dma {

// The elements of 1, 2 or 4 bytes for which the buffer of an engine has room: those of the matrix of one
// packet.
constexpr std::uint32_t MaxTransposedElements = 4096;

// Returns the address field of a descriptor that gives the shape to transpose.
constexpr std::uint64_t transpose_shape(std::uint32_t rows, std::uint32_t columns,
                                        std::uint32_t element_bytes) {
    return std::uint64_t{element_bytes} << 32 | std::uint64_t{columns} << 16 | rows;
}

}  // namespace trnsim::dma
