// Transfers that transpose, as tiles: one packet of a DMA engine can move a tile.
#pragma once

#include "runtime/loader/segments.hpp"

namespace trnsim::loader {

// Rows and columns of a tile, except at the edges of a matrix.
constexpr std::uint32_t TileSide = 32;

// Contiguous bytes, at a system address.
struct Run {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    bool operator==(const Run&) const = default;
};

// A part of a matrix: `from` has its rows, `to` its columns, each in the order of their bytes. `to` has at
// most one run more, so that with the shape a packet has at least as many read descriptors.
struct TransposedTile {
    std::uint32_t rows = 0, columns = 0;
    std::vector<Run> from, to;
};

// Returns a segment for each tile, with the addresses of its first element. Throws as expand().
std::vector<Segment> expand_transposed(const neff::Package& package, const neff::Transfer& transfer,
                                       const HbmAddresses& addresses, unsigned core);

}  // namespace trnsim::loader
