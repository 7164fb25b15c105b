// The encoding of packets that gather or scatter: the constants and bits that name their indices
// (docs/dma.md).
#pragma once

#include <cstdint>

namespace trnsim::dma {

// The indices that the registers of an engine hold for one packet.
constexpr unsigned MaxIndices = 64;
constexpr std::uint32_t IndexBytes = 4;  // an index is a signed 32-bit integer

// Bits of the meta word of index bounds above the operation.
constexpr std::uint32_t SkipBit = 1u << 8;  // rows whose index is out of bounds are left out
constexpr std::uint32_t WaitBit = 1u << 9;  // rows are read after the response to every earlier write of the
                                            // engine

// In a packet with indices, bits 31:24 of the meta words of reads and writes name the index, counted from 1;
// 0: none.
constexpr unsigned RowShift = 24;
constexpr std::uint32_t RowMask = 0xffU << RowShift;

constexpr std::uint64_t index_bounds(std::int32_t first, std::int32_t last) {
    return std::uint64_t{static_cast<std::uint32_t>(last)} << 32 | static_cast<std::uint32_t>(first);
}

}  // namespace trnsim::dma
