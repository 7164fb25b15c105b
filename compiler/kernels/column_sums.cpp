#include "compiler/kernels/column_sums.hpp"

#include <algorithm>

#include "arch/target/memory.hpp"
#include "compiler/kernels/operand.hpp"

namespace trnsim::kernels {

using builder::Tile;

namespace {

// PSUM in pieces of equal size within a bank, the same number for each share.
struct Pieces {
    Pieces(const target::Core& target, std::uint32_t shares) {
        const auto banks = static_cast<std::uint32_t>(target.psum_banks);
        in_bank = static_cast<std::uint32_t>(div_up(shares, banks));
        columns = target::bank_columns(target) / in_bank;
        in_share = banks * in_bank / shares;
    }
    std::uint32_t in_bank, columns, in_share;
};

}  // namespace

ColumnSums::ColumnSums(Kit& kit, std::uint32_t index, std::uint32_t shares) : kit_(&kit) {
    const Pieces pieces(kit.builder.target(), shares);
    for (std::uint32_t i = 0; i < pieces.in_share; ++i) {
        const std::uint32_t piece = index * pieces.in_share + i;
        const Tile bank = kit.builder.psum({piece / pieces.in_bank}, 1, pieces.columns * pieces.in_bank);
        pieces_.push_back(bank.slice(0, piece % pieces.in_bank * pieces.columns, pieces.columns));
    }
}

std::uint32_t ColumnSums::max_columns(const target::Core& target, std::uint32_t shares) {
    const Pieces pieces(target, shares);
    return pieces.columns * pieces.in_share;
}

std::uint32_t ColumnSums::max_rows(const target::Core& target) {
    return static_cast<std::uint32_t>(std::min(target.rows, target.partitions));
}

void ColumnSums::add(const Tile& rows, const Tile& weights) {
    const std::uint32_t columns = rows.axes[0].count;
    kit_->builder.load_stationary(weights);
    for (std::uint32_t first = 0; first < columns; first += pieces_[0].axes[0].count) {
        const Tile& piece = pieces_[first / pieces_[0].axes[0].count];
        const std::uint32_t count = std::min(piece.axes[0].count, columns - first);
        kit_->builder.multiply_moving(piece.slice(0, 0, count), rows.slice(0, first, count),
                                      {.accumulate = begun_});
    }
    begun_ = true;
}

void ColumnSums::take(const Tile& to) {
    const std::uint32_t columns = to.axes[0].count;
    for (std::uint32_t first = 0; first < columns; first += pieces_[0].axes[0].count) {
        const Tile& piece = pieces_[first / pieces_[0].axes[0].count];
        const std::uint32_t count = std::min(piece.axes[0].count, columns - first);
        kit_->builder.tensor_copy(to.slice(0, first, count), piece.slice(0, 0, count));
    }
    begun_ = false;
}

Tile ones(Kit& kit, std::uint32_t partitions, isa::Dtype dtype) {
    const Tile tile = kit.builder.sbuf(partitions, dtype, {1});
    kit.builder.memset(tile, 1.0f);
    return tile;
}

}  // namespace trnsim::kernels
