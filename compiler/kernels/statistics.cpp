#include "compiler/kernels/statistics.hpp"

#include <algorithm>

#include "compiler/kernels/operand.hpp"

namespace trnsim::kernels {

using builder::Tile;

namespace {

constexpr std::uint32_t RowFigures = RowStatistics::FigureCount;  // then the statistics of the pieces
constexpr std::uint32_t PieceFigures = 6;                         // of bn_stats
constexpr std::uint32_t PieceWidth = 512;                         // most elements of bn_stats

std::uint64_t columns(std::uint64_t width, std::uint64_t chunks) {
    return RowFigures + PieceFigures * chunks * div_up(width, PieceWidth);
}

}  // namespace

RowStatistics::RowStatistics(Kit& kit, const RowCut& cut, float eps)
    : kit_(&kit),
      cut_(cut),
      eps_(eps),
      ring_(kit.builder, cut.partitions, isa::Dtype::Fp32, columns(cut.width, cut.chunks()), Slots) {}

std::uint64_t RowStatistics::bytes(std::uint64_t width, std::uint64_t chunks) {
    return ring_bytes(columns(width, chunks), isa::Dtype::Fp32, Slots);
}

RowStatistics::Figures RowStatistics::find(const builder::TensorView& x, std::uint64_t block,
                                           InputRing& inputs) {
    builder::KernelBuilder& builder = kit_->builder;
    const Tile tile =
        ring_.next(cut_.rows_in(block), static_cast<std::uint32_t>(columns(cut_.width, cut_.chunks())));
    std::uint32_t end = RowFigures;
    for (std::uint64_t chunk = 0; chunk < cut_.chunks(); ++chunk) {
        const Tile in = inputs.get(cut_.part(x, block, chunk));
        for (std::uint32_t first = 0; first < cut_.columns_in(chunk); first += PieceWidth) {
            const std::uint32_t width = std::min(PieceWidth, cut_.columns_in(chunk) - first);
            builder.bn_stats(tile.slice(0, end, PieceFigures), in.slice(0, first, width));
            end += PieceFigures;
        }
    }
    builder.bn_aggr(tile.slice(0, 0, 2), tile.slice(0, RowFigures, end - RowFigures));
    const Figures figures{tile};
    builder.activation(figures.scale(), tile.slice(0, 1, 1), isa::Activation::Rsqrt, {.bias = eps_});
    return figures;
}

}  // namespace trnsim::kernels
