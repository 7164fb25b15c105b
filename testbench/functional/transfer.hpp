// DMA transfers as pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/neff/package.hpp"

namespace trnsim::functional {

// Consecutive bytes on both sides of a transfer. A place is a core-window address or a byte of the side's
// tensor. `index`: the place of the index of its row; the side that has the rows is at the row of its first index.
struct Piece {
    std::uint64_t from = 0, to = 0;
    std::uint32_t bytes = 0;
    std::optional<std::uint64_t> index{};
};

// All that a transfer moves, in the order of its elements; what is dense on both sides is one piece. Throws
// Error when the sides differ in their number of elements.
std::vector<Piece> pieces_of(const neff::Transfer& transfer);

// Whether a transfer writes a place, with some indices.
bool may_write(const neff::Transfer& transfer, std::uint64_t place);

}  // namespace trnsim::functional
