#include "compiler/kernels/rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/builder/error.hpp"
#include "compiler/kernels/operand.hpp"

namespace trnsim::kernels {

using builder::TensorView;

namespace {

// A larger width is no gain for DMA or engines, and double buffering needs several chunks.
constexpr std::uint64_t MaxWidth = 4096;

// Returns the width of the widest equal parts of `count` that fit.
std::uint32_t widest(const Kit& kit, std::uint64_t count, const RowBytes& bytes) {
    const std::uint64_t left = kit.builder.sbuf_left();
    for (std::uint64_t parts = div_up(count, MaxWidth); parts <= count; ++parts) {
        const std::uint64_t width = div_up(count, parts);
        if (bytes(width, div_up(count, width)) <= left) return static_cast<std::uint32_t>(width);
    }
    throw builder::Error(
        fmt::format("{} columns do not fit {} bytes a partition, however they are cut", count, left));
}

}  // namespace

std::uint32_t RowCut::rows_in(std::uint64_t block) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(partitions, rows - block * partitions));
}

std::uint32_t RowCut::columns_in(std::uint64_t chunk) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(width, columns - chunk * width));
}

TensorView RowCut::part(const TensorView& matrix, std::uint64_t block, std::uint64_t chunk) const {
    return matrix.slice(0, block * partitions, rows_in(block)).slice(1, chunk * width, columns_in(chunk));
}

TensorView RowCut::spread(const TensorView& vector, std::uint64_t block, std::uint64_t chunk) const {
    TensorView view = vector.slice(0, chunk * width, columns_in(chunk));
    view.axes.insert(view.axes.begin(), {rows_in(block), 0});
    return view;
}

RowCut cut_rows(const Kit& kit, std::uint64_t rows, std::uint64_t columns, const RowBytes& bytes) {
    const auto partitions = static_cast<std::uint32_t>(std::min<std::uint64_t>(rows, kit.partitions()));
    return {rows, columns, partitions, widest(kit, columns, bytes)};
}

TensorView flat(const TensorView& view) {
    TensorView vector = view;
    std::uint64_t count = 1;
    for (const TensorView::Axis& axis : view.axes) count *= axis.count;
    vector.axes = {{count, 1}};
    return vector;
}

std::vector<Piece> cut_flat(const Kit& kit, std::uint64_t count,
                            const std::function<std::uint64_t(std::uint64_t)>& bytes) {
    const std::uint64_t partitions = kit.partitions();
    const std::uint64_t columns = std::max<std::uint64_t>(1, div_up(count, partitions));
    const std::uint32_t width =
        widest(kit, columns, [&](std::uint64_t w, std::uint64_t) { return bytes(w); });
    std::vector<Piece> pieces;
    for (std::uint64_t first = 0; first < count;) {
        const std::uint64_t left = count - first;
        Piece piece{first, static_cast<std::uint32_t>(std::min(partitions, left)), 1};
        piece.width = static_cast<std::uint32_t>(std::min<std::uint64_t>(width, left / piece.partitions));
        pieces.push_back(piece);
        first += std::uint64_t{piece.partitions} * piece.width;
    }
    return pieces;
}

}  // namespace trnsim::kernels
