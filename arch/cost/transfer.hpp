// The time of a DMA transfer that runs alone (docs/dma.md).
#pragma once

#include <cstdint>

#include "arch/config/config.hpp"

namespace trnsim::cost {

// Descriptors follow each other at least this far apart in each direction, fs: the 4-byte descriptors of a published profile take 7 ns
// each. Elements of a matrix leave the buffer of a transpose so far apart; no figure of the hardware is public.
constexpr std::uint64_t DescriptorInterval = 7'000'000, TransposeInterval = 1'000'000;

// The bytes that descriptors of all engines together read, or write; each descriptor has bytes / descriptors.
struct TransferSide {
    std::uint64_t bytes = 0;
    std::uint64_t descriptors = 0;
    bool operator==(const TransferSide&) const = default;
};

// Sources that are combined are read all: their bytes are those of the reads. Types differ in the bytes of the two sides alone.
struct Transfer {
    unsigned engines = 1;  // that have an equal share each
    TransferSide reads, writes;
    // Descriptors without bytes on the wire: scales, numbers, steps and bounds, indices, shapes; on the other side those that take nothing.
    std::uint64_t constants = 0;
    std::uint64_t transposed = 0;  // elements
    bool operator==(const Transfer&) const = default;
};

// fs.
struct TransferTime {
    std::uint64_t occupies =
        0;  // of its engines: from its first byte to that of a transfer that waits behind it
    std::uint64_t completes = 0;  // from the doorbell to the response to its last write
};

// Nobody else uses engines, HBM and core window; operands lie in HBM on one side at least and begin at a burst.
TransferTime transfer_time(const Transfer& transfer, const config::Config& config);

}  // namespace trnsim::cost
