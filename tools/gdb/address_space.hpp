// Where the bytes of a GpSimd core's address space are in the window of its NeuronCore.
#pragma once

#include <cstdint>
#include <optional>

namespace trnsim::gdb {

// So many of `bytes` from `address` on are side by side in the window, from `offset` on; their core has memory there, but
// perhaps fewer partitions.
struct Piece {
    std::uint32_t offset = 0, bytes = 0;
};

// Of a NeuronCore with so many partitions. None: there is no memory at the address.
std::optional<Piece> piece_at(unsigned core, std::uint32_t address, std::uint32_t bytes,
                              std::uint32_t partitions);

}  // namespace trnsim::gdb
