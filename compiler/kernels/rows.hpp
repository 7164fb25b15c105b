// Matrices cut into blocks of rows on the partitions and chunks of columns.
#pragma once

#include <cstdint>
#include <functional>

#include "compiler/kernels/kit.hpp"

namespace trnsim::kernels {

struct RowCut {
    std::uint64_t rows = 1, columns = 1;
    std::uint32_t partitions = 1, width = 1;  // partitions of a block, columns of a chunk

    std::uint64_t blocks() const { return (rows + partitions - 1) / partitions; }
    std::uint64_t chunks() const { return (columns + width - 1) / width; }
    std::uint32_t rows_in(std::uint64_t block) const;
    std::uint32_t columns_in(std::uint64_t chunk) const;
    // Returns that part of a matrix [rows, columns].
    builder::TensorView part(const builder::TensorView& matrix, std::uint64_t block,
                             std::uint64_t chunk) const;
    // Returns a chunk of a vector [columns], the same in every row of the block.
    builder::TensorView spread(const builder::TensorView& vector, std::uint64_t block,
                               std::uint64_t chunk) const;
};

// A block in progress: figures of its rows, a column each.
struct RowBlock {
    std::uint64_t index;
    builder::Tile figures;

    builder::Tile column(std::uint32_t first, std::uint32_t count = 1) const {
        return figures.slice(0, first, count);
    }
};

// Returns the bytes a partition that a kernel needs for chunks of that width and number.
using RowBytes = std::function<std::uint64_t(std::uint64_t width, std::uint64_t chunks)>;

// Returns the widest chunks, all about equal, that fit the rest of SBUF. Throws builder::Error when none fit.
RowCut cut_rows(const Kit& kit, std::uint64_t rows, std::uint64_t columns, const RowBytes& bytes);

// Works on blocks in two parts, so that engines can begin the next block while they finish one: calls
// `begin(block)`, then `finish(block - 1, X)` with the result X of `begin` for that block.
template <typename Begin, typename Finish>
void for_blocks(const RowCut& cut, const Begin& begin, const Finish& finish) {
    auto before = begin(std::uint64_t{0});
    for (std::uint64_t block = 1; block < cut.blocks(); ++block) {
        auto now = begin(block);
        finish(block - 1, before);
        before = now;
    }
    finish(cut.blocks() - 1, before);
}

// Returns a tensor of any shape as a vector of all its elements.
builder::TensorView flat(const builder::TensorView& view);

// Element-wise work needs no rows: `count` elements as pieces [partitions, width], each contiguous.
struct Piece {
    std::uint64_t first = 0;
    std::uint32_t partitions = 1, width = 1;

    builder::TensorView of(const builder::TensorView& vector) const {
        return vector.slice(0, first, std::uint64_t{partitions} * width).split(0, width);
    }
};
// `bytes` returns the bytes a partition for pieces of a width.
std::vector<Piece> cut_flat(const Kit& kit, std::uint64_t count,
                            const std::function<std::uint64_t(std::uint64_t)>& bytes);

}  // namespace trnsim::kernels
