// Transfers as contiguous pieces, each of which one DMA descriptor pair can move.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "arch/addresses/addresses.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::loader {

using addresses::CoreWindowBase;

constexpr std::uint32_t MaxSegmentBytes = 0x10000;  // a descriptor's limit

struct TransposedTile;

// `bytes` consecutive bytes at system address `from` go to consecutive bytes at `to`. `index` is the place of
// the index of their row; the side of the transfer that has the rows is at the row of its first index.
struct Segment {
    std::uint64_t from = 0, to = 0;
    std::uint32_t bytes = 0;
    std::optional<std::uint64_t> index{};
    std::shared_ptr<const TransposedTile> tile{};  // for a transfer that transposes (transposed.hpp)
    bool operator==(const Segment&) const = default;
};

// System addresses of the tensors and images of transfers in HBM, by Package::tensors and Package::images.
struct HbmAddresses {
    HbmAddresses(const std::vector<std::uint64_t>& tensors,  // NOLINT: a kernel may have no images
                 const std::vector<std::uint64_t>& images = {})
        : tensors(tensors), images(images) {}
    const std::vector<std::uint64_t>& tensors;
    const std::vector<std::uint64_t>& images;
};

// Returns the bytes of the transfer in element order, cut where either side is not contiguous, at 64 KiB, at
// the end of a row of an index and at the end of a partition of SBUF or PSUM or of a GpSimd core's memory; a
// transfer that transposes is cut into tiles. `core` of its chip executes the package. Throws Error when the
// transfer leaves the populated bytes of a partition.
std::vector<Segment> expand(const neff::Package& package, const neff::Transfer& transfer,
                            const HbmAddresses& addresses, unsigned core = 0);

}  // namespace trnsim::loader
