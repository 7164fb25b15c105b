// Queries, keys and values of attention on their way to the array.
#pragma once

#include <optional>

#include "compiler/kernels/attention_plan.hpp"

namespace trnsim::kernels {

// Blocks of a matrix [seq, dim], transposed: dim on the partitions, in parts, `block` columns a part.
class TurnedBlocks {
  public:
    // `held` blocks stay; a new one replaces the oldest.
    TurnedBlocks(Kit& kit, const AttentionShape& shape, const AttentionPlan& plan, Transposer& transposer,
                 BankRing& banks, std::uint64_t held);

    struct Turned {
        builder::Tile tile;
        std::uint32_t columns;
    };
    Turned get(const builder::TensorView& matrix, std::uint64_t block);
    // Returns part `index`: [rows of dim, columns].
    builder::Tile part(const Turned& turned, std::uint32_t index) const;

  private:
    std::uint32_t part_rows(std::uint32_t index) const;

    struct Held {
        std::uint32_t tensor;
        std::uint64_t offset;
        Turned turned;
    };

    Kit* kit_;
    AttentionShape shape_;
    AttentionPlan plan_;
    Transposer* transposer_;
    BankRing* banks_;
    InputRing inputs_;
    TileRing ring_;
    std::vector<std::optional<Held>> held_;  // by slot
};

// Returns the rows of block `block` of a matrix [seq, ...].
builder::TensorView block_rows(const builder::TensorView& matrix, const AttentionPlan& plan,
                               std::uint64_t block);

}  // namespace trnsim::kernels
