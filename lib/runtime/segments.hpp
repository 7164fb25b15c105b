// Transfers as contiguous pieces: what one DMA descriptor pair can move.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/base/addresses/addresses.hpp"
#include "lib/neff/package.hpp"

namespace trnsim::runtime {

using addresses::CoreWindowBase;

constexpr std::uint32_t MaxSegmentBytes = 0x10000;  // a descriptor's limit

// `bytes` consecutive bytes at system address `from` go to consecutive bytes at `to`.
struct Segment {
    std::uint64_t from = 0, to = 0;
    std::uint32_t bytes = 0;
    bool operator==(const Segment&) const = default;
};

// The bytes of the transfer in element order, cut where either side is not contiguous, at 64 KiB and where a
// partition of SBUF or PSUM ends. tensor_address: system address by Package::tensors. Throws Error when the
// transfer leaves the populated bytes of a partition.
std::vector<Segment> expand(const neff::Package& package, const neff::Transfer& transfer,
                            const std::vector<std::uint64_t>& tensor_address);

}  // namespace trnsim::runtime
