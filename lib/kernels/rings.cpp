#include "lib/kernels/rings.hpp"

#include <algorithm>

#include "lib/builder/dtype.hpp"

namespace trnsim::kernels {

using builder::After;
using builder::Event;
using builder::TensorView;

TileRing::TileRing(Kit& kit, std::uint32_t partitions, isa::Dtype dtype, std::uint64_t columns,
                   std::uint64_t slots)
    : uses_(slots), current_(slots - 1) {
    for (std::uint64_t i = 0; i < slots; ++i)
        tiles_.push_back(kit.builder.sbuf(partitions, dtype, {static_cast<std::uint32_t>(columns)}));
}

TileRing::Slot TileRing::next(std::uint32_t partitions, std::uint32_t columns) {
    current_ = (current_ + 1) % tiles_.size();
    Slot slot{tiles_[current_].partition_slice(0, partitions).slice(0, 0, columns), uses_[current_],
              current_};
    uses_[current_].clear();
    return slot;
}

void TileRing::used(const Slot& slot, Event event) {
    After& uses = uses_[slot.index];
    const auto same = std::ranges::find(uses, event.producer, &Event::producer);
    if (same == uses.end()) {
        uses.push_back(event);
    } else if (same->index < event.index) {
        *same = event;
    }
}

InputRing::InputRing(Kit& kit, std::uint32_t partitions, isa::Dtype dtype, std::uint64_t columns,
                     std::uint64_t slots)
    : kit_(&kit), ring_(kit, partitions, dtype, columns, slots), held_(slots) {}

InputRing::Loaded InputRing::get(const TensorView& view) {
    const auto same = [&](const Held& held) {
        return !held.loaded.ready.empty() && held.view.offset == view.offset &&
               held.view.axes.size() == view.axes.size() &&
               std::ranges::equal(held.view.axes, view.axes, {}, &TensorView::Axis::count,
                                  &TensorView::Axis::count);
    };
    const auto found = std::ranges::find_if(held_, same);
    if (found != held_.end()) return found->loaded;
    const TileRing::Slot slot = ring_.next(static_cast<std::uint32_t>(view.axes[0].count),
                                           static_cast<std::uint32_t>(view.axes[1].count));
    Held& held = held_[slot.index];
    const Event ready = kit_->builder.load(kit_->queues.loads, slot.tile, view, slot.free);
    held = {view, {slot.tile, {ready}, slot.index}};
    return held.loaded;
}

void InputRing::used(const Loaded& loaded, Event event) {
    ring_.used({loaded.tile, {}, loaded.index}, event);
}

BankRing::Slot BankRing::next(std::uint32_t partitions, std::uint32_t columns) {
    current_ = (current_ + 1) % static_cast<std::uint32_t>(uses_.size());
    return {kit_->builder.psum(first_ + current_, partitions, columns), {uses_[current_]}, current_};
}

std::uint64_t ring_bytes(std::uint64_t columns, isa::Dtype dtype, std::uint64_t slots) {
    return slots * builder::SbufAllocator::rounded(columns * builder::bytes_of(dtype));
}

}  // namespace trnsim::kernels
