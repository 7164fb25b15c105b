#include "lib/kernels/statistics.hpp"

#include <algorithm>

#include "lib/kernels/operand.hpp"

namespace trnsim::kernels {

using builder::Event;

namespace {

constexpr std::uint64_t Slots = 2;
constexpr std::uint32_t Fixed = RowStatistics::FigureCount;  // then the statistics of the pieces
constexpr std::uint32_t PieceFigures = 6;                    // of bn_stats
constexpr std::uint32_t PieceWidth = 512;                    // most elements of bn_stats

std::uint64_t columns(std::uint64_t width, std::uint64_t chunks) {
    return Fixed + PieceFigures * chunks * div_up(width, PieceWidth);
}

}  // namespace

RowStatistics::RowStatistics(Kit& kit, const RowCut& cut, float eps)
    : kit_(&kit),
      cut_(cut),
      eps_(eps),
      ring_(kit, cut.partitions, isa::Dtype::Fp32, columns(cut.width, cut.chunks()), Slots) {}

std::uint64_t RowStatistics::bytes(std::uint64_t width, std::uint64_t chunks) {
    return ring_bytes(columns(width, chunks), isa::Dtype::Fp32, Slots);
}

RowStatistics::Figures RowStatistics::find(const builder::TensorView& x, std::uint64_t block,
                                           InputRing& inputs) {
    builder::KernelBuilder& builder = kit_->builder;
    const TileRing::Slot slot =
        ring_.next(cut_.rows_in(block), static_cast<std::uint32_t>(columns(cut_.width, cut_.chunks())));
    std::uint32_t end = Fixed;
    for (std::uint64_t chunk = 0; chunk < cut_.chunks(); ++chunk) {
        const InputRing::Loaded in = inputs.get(cut_.part(x, block, chunk));
        Event read;
        for (std::uint32_t first = 0; first < cut_.columns_in(chunk); first += PieceWidth) {
            const std::uint32_t width = std::min(PieceWidth, cut_.columns_in(chunk) - first);
            read = builder.bn_stats(slot.tile.slice(0, end, PieceFigures), in.tile.slice(0, first, width),
                                    join(in.ready, slot.free));
            end += PieceFigures;
        }
        inputs.used(in, read);
    }
    const Event found = builder.bn_aggr(slot.tile.slice(0, 0, 2), slot.tile.slice(0, Fixed, end - Fixed));
    Figures figures{slot, {}};
    figures.there = builder.activation(figures.scale(), slot.tile.slice(0, 1, 1), isa::Activation::Rsqrt,
                                       {.bias = eps_}, {found});
    return figures;
}

}  // namespace trnsim::kernels
