// The time of a DMA transfer that runs alone (docs/dma.md).
#pragma once

#include <cstdint>

#include "arch/config/config.hpp"

namespace trnsim::cost {

// The least distance of consecutive descriptors in each direction, fs: the 4-byte descriptors of a published
// profile take 7 ns each. The second is the distance at which elements of a matrix leave the buffer of a
// transpose; no figure of the hardware is public.
constexpr std::uint64_t DescriptorInterval = 7'000'000, TransposeInterval = 1'000'000;

// The bytes that the descriptors of all engines together read or write; each descriptor has bytes /
// descriptors.
struct TransferSide {
    std::uint64_t bytes = 0;
    std::uint64_t descriptors = 0;
    bool operator==(const TransferSide&) const = default;
};

// All sources that are combined are read: the bytes of `reads` include each. Different types show only in the
// different bytes of the two sides.
struct Transfer {
    unsigned engines = 1;  // engines, each with an equal share
    TransferSide reads{}, writes{};
    // Descriptors without bytes on the wire: reads of scales, numbers, steps and bounds, indices, shapes;
    // writes that take nothing.
    std::uint64_t constants = 0;
    std::uint64_t transposed = 0;  // elements
    bool operator==(const Transfer&) const = default;
};

// Times in fs. A transfer occupies its engines until the first byte of a waiting transfer.
struct TransferTime {
    std::uint64_t occupies = 0;   // from its first byte to that of the next transfer
    std::uint64_t completes = 0;  // from the doorbell to the response to its last write
};

// Nothing else uses the engines, HBM and the core window; operands lie in HBM on at least one side and begin
// at a burst.
TransferTime transfer_time(const Transfer& transfer, const config::Config& config);

}  // namespace trnsim::cost
