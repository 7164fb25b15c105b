// The encoding of packets that transpose a matrix: rows are read, columns are written (docs/dma.md).
#pragma once

#include <cstdint>

namespace trnsim::dma {

// Room in the buffer of an engine: elements of the matrix of one packet, of 1, 2 or 4 bytes.
constexpr std::uint32_t MaxTransposedElements = 4096;

// The address field of a descriptor that says what is transposed.
constexpr std::uint64_t transpose_shape(std::uint32_t rows, std::uint32_t columns,
                                        std::uint32_t element_bytes) {
    return std::uint64_t{element_bytes} << 32 | std::uint64_t{columns} << 16 | rows;
}

}  // namespace trnsim::dma
