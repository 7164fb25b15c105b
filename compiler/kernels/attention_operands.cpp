#include "compiler/kernels/attention_operands.hpp"

#include <algorithm>

namespace trnsim::kernels {

using builder::TensorView;
using builder::Tile;

TensorView block_rows(const TensorView& matrix, const AttentionPlan& plan, std::uint64_t block) {
    const std::uint64_t first = block * plan.block;
    return matrix.slice(0, first, std::min<std::uint64_t>(plan.block, matrix.axes[0].count - first));
}

TurnedBlocks::TurnedBlocks(Kit& kit, const AttentionShape& shape, const AttentionPlan& plan,
                           Transposer& transposer, BankRing& banks, std::uint64_t held)
    : kit_(&kit),
      shape_(shape),
      plan_(plan),
      transposer_(&transposer),
      banks_(&banks),
      inputs_(kit, plan.block, shape.dtype, shape.dim, plan.slots),
      ring_(kit.builder, static_cast<std::uint32_t>(std::min<std::uint64_t>(kit.block(), shape.dim)),
            shape.dtype, std::uint64_t{plan.parts} * plan.block, held),
      held_(held) {}

std::uint32_t TurnedBlocks::part_rows(std::uint32_t index) const {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(kit_->block(), shape_.dim - std::uint64_t{index} * kit_->block()));
}

Tile TurnedBlocks::part(const Turned& turned, std::uint32_t index) const {
    return turned.tile.partition_slice(0, part_rows(index)).slice(0, index * plan_.block, turned.columns);
}

TurnedBlocks::Turned TurnedBlocks::get(const TensorView& matrix, std::uint64_t block) {
    const TensorView view = block_rows(matrix, plan_, block);
    for (const auto& held : held_) {
        if (held && held->tensor == view.tensor && held->offset == view.offset) return held->turned;
    }
    const auto all_rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(kit_->block(), shape_.dim));
    const Turned turned{ring_.next(all_rows, plan_.parts * plan_.block),
                        static_cast<std::uint32_t>(view.axes[0].count)};
    const Tile in = inputs_.get(view);
    for (std::uint32_t index = 0; index < plan_.parts; ++index) {
        const Tile bank = banks_->next(part_rows(index), turned.columns);
        (*transposer_)(bank, in.slice(0, index * kit_->block(), part_rows(index)));
        kit_->builder.tensor_copy(part(turned, index), bank);
    }
    held_[ring_.current()] = Held{view.tensor, view.offset, turned};
    return turned;
}

}  // namespace trnsim::kernels
