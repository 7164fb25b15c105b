// Maps the address space of a GpSimd core to the window of its NeuronCore.
#pragma once

#include <cstdint>
#include <optional>

namespace trnsim::gdb {

// The first `bytes` bytes from an address that are side by side in the window, at `offset`. The address range
// has memory, but the core may have fewer partitions.
struct Piece {
    std::uint32_t offset = 0, bytes = 0;
};

// Maps `address` of a core of a NeuronCore with `partitions` partitions. Returns nothing if there is no
// memory at the address.
std::optional<Piece> piece_at(unsigned core, std::uint32_t address, std::uint32_t bytes,
                              std::uint32_t partitions);

}  // namespace trnsim::gdb
