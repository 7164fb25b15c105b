#include "compiler/kernels/rings.hpp"

#include <algorithm>

#include "isa/element_type.hpp"

namespace trnsim::kernels {

using builder::TensorView;
using builder::Tile;

TileRing::TileRing(builder::KernelBuilder& builder, std::uint32_t partitions, isa::Dtype dtype,
                   std::uint64_t columns, std::uint64_t slots)
    : current_(slots - 1) {
    for (std::uint64_t i = 0; i < slots; ++i)
        tiles_.push_back(builder.sbuf(partitions, dtype, {static_cast<std::uint32_t>(columns)}));
}

Tile TileRing::next(std::uint32_t partitions, std::uint32_t columns) {
    current_ = (current_ + 1) % tiles_.size();
    return tiles_[current_].partition_slice(0, partitions).slice(0, 0, columns);
}

InputRing::InputRing(Kit& kit, std::uint32_t partitions, isa::Dtype dtype, std::uint64_t columns,
                     std::uint64_t slots)
    : kit_(&kit), ring_(kit.builder, partitions, dtype, columns, slots), held_(slots) {}

Tile InputRing::get(const TensorView& view) {
    const auto same = [&](const Held& held) {
        return held.view.tensor == view.tensor && held.view.offset == view.offset &&
               std::ranges::equal(held.view.axes, view.axes, {}, &TensorView::Axis::count,
                                  &TensorView::Axis::count);
    };
    const auto found = std::ranges::find_if(held_, same);
    if (found != held_.end()) return found->tile;
    const Tile tile = ring_.next(static_cast<std::uint32_t>(view.axes[0].count),
                                 static_cast<std::uint32_t>(view.axes[1].count));
    kit_->load(tile, view);
    held_[ring_.current()] = {view, tile};
    return tile;
}

std::uint64_t ring_bytes(std::uint64_t columns, isa::Dtype dtype, std::uint64_t slots) {
    return slots * builder::SbufAllocator::rounded(columns * isa::element_size(dtype));
}

}  // namespace trnsim::kernels
