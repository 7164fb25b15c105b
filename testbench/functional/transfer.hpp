// Splits DMA transfers into pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/neff/package.hpp"

namespace trnsim::functional {

// Consecutive bytes on both sides of a transfer. A place is a core-window address or a byte of the side's
// tensor. `index` is the place of the row's index; the place on the indirect side is that of the row with the
// first index.
struct Piece {
    std::uint64_t from = 0, to = 0;
    std::uint32_t bytes = 0;
    std::optional<std::uint64_t> index{};
};

// Returns all pieces of a transfer, in the order of its elements; bytes that are dense on both sides are one
// piece. Throws Error when the sides differ in their number of elements.
std::vector<Piece> pieces_of(const neff::Transfer& transfer);

// Returns how many pieces the DMA engines take of a transfer, without a list of them; rows that are combined are
// taken by elements, a collective as a whole.
std::uint64_t number_of_pieces(const neff::Transfer& transfer);

// Returns whether a transfer writes a place with some indices.
bool may_write(const neff::Transfer& transfer, std::uint64_t place);

}  // namespace trnsim::functional
