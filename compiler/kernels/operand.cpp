#include "compiler/kernels/operand.hpp"

#include <algorithm>

#include "isa/element_type.hpp"

namespace trnsim::kernels {

using builder::TensorView;
using builder::Tile;

namespace {

std::size_t column_axis(Layout layout) {
    return layout == Layout::RowsOfK ? 1 : 0;
}

}  // namespace

std::uint32_t KCut::tiles_in(std::uint64_t index) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(chunk, tiles() - index * chunk));
}

std::uint32_t KCut::rows_in(std::uint64_t index) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(tile, rows - index * tile));
}

OperandRing::OperandRing(builder::KernelBuilder& builder, builder::Queue queue, const TensorView& tensor,
                         const KCut& cut, std::uint32_t width, std::uint64_t slots, Layout layout)
    : builder_(&builder),
      queue_(queue),
      tensor_(tensor),
      cut_(cut),
      width_(width),
      layout_(layout),
      slots_(slots) {
    const auto rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(cut.tile, cut.rows));
    for (Slot& slot : slots_) slot.tile = builder.sbuf(rows, tensor.dtype, {cut.chunk, width});
}

std::uint32_t OperandRing::columns_in(std::uint64_t panel) const {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(width_, tensor_.axes[column_axis(layout_)].count - panel * width_));
}

std::uint64_t OperandRing::bytes(std::uint64_t chunk, std::uint64_t panel) const {
    const std::uint64_t first = chunk * cut_.chunk * cut_.tile;
    const std::uint64_t rows =
        std::min<std::uint64_t>(cut_.rows - first, std::uint64_t{cut_.chunk} * cut_.tile);
    return rows * columns_in(panel) * isa::element_size(tensor_.dtype);
}

const OperandRing::Slot* OperandRing::find(std::uint64_t chunk, std::uint64_t panel) const {
    for (std::size_t i = 0; i < filled_; ++i) {
        if (slots_[i].chunk == chunk && slots_[i].panel == panel) return &slots_[i];
    }
    return nullptr;
}

bool OperandRing::resident(std::uint64_t chunk, std::uint64_t panel) const {
    return find(chunk, panel) != nullptr;
}

OperandRing::Slot& OperandRing::load(std::uint64_t chunk, std::uint64_t panel) {
    Slot& slot = slots_[next_];
    next_ = (next_ + 1) % slots_.size();
    filled_ = std::min(filled_ + 1, slots_.size());
    slot.chunk = chunk;
    slot.panel = panel;

    const std::uint64_t first_tile = chunk * cut_.chunk;
    const std::uint32_t tiles = cut_.tiles_in(chunk);
    const std::uint32_t last_rows = cut_.rows_in(first_tile + tiles - 1);
    const std::uint32_t whole = last_rows == cut_.tile ? tiles : tiles - 1;
    const std::uint32_t columns = columns_in(panel);
    const TensorView view = tensor_.slice(column_axis(layout_), panel * width_, columns);
    const Tile tile = slot.tile.slice(1, 0, columns);
    if (whole > 0)
        slot.there = load(tile.slice(0, 0, whole), view, first_tile * cut_.tile,
                          std::uint64_t{whole} * cut_.tile, cut_.tile);
    if (whole < tiles)
        slot.there = load(tile.slice(0, whole, 1).partition_slice(0, last_rows), view,
                          (first_tile + whole) * cut_.tile, last_rows, last_rows);
    return slot;
}

// Loads `rows` rows of K from `first` into K tiles of `tile` rows.
builder::Event OperandRing::load(const Tile& to, const TensorView& panel, std::uint64_t first,
                                 std::uint64_t rows, std::uint32_t tile) {
    const std::size_t axis = 1 - column_axis(layout_);
    const TensorView from = panel.slice(axis, first, rows).split(axis, tile);
    return layout_ == Layout::RowsOfK ? builder_->load(queue_, to, from.swapped(0, 1))
                                      : builder_->load_transposed(queue_, to, from);
}

Chunk OperandRing::get(std::uint64_t chunk, std::uint64_t panel) {
    const Slot* slot = find(chunk, panel);
    if (slot == nullptr) slot = &load(chunk, panel);
    return {slot->tile.slice(0, 0, cut_.tiles_in(chunk)).slice(1, 0, columns_in(panel)), slot->there};
}

}  // namespace trnsim::kernels
