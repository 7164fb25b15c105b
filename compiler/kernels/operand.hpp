// Operands of tiled matmuls: K on the partitions, cut into chunks of K tiles and panels of columns.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/builder/kernel_builder.hpp"

namespace trnsim::kernels {

constexpr std::uint64_t div_up(std::uint64_t value, std::uint64_t by) {
    return (value + by - 1) / by;
}

// The cut of the K rows of an operand: K tiles of `tile` rows (the last may be shorter), chunks of `chunk` K
// tiles.
struct KCut {
    std::uint64_t rows = 1;
    std::uint32_t tile = 1, chunk = 1;

    std::uint64_t tiles() const { return div_up(rows, tile); }
    std::uint64_t chunks() const { return div_up(tiles(), chunk); }
    // Return the number of K tiles of chunk `index`, and of rows of K tile `index`.
    std::uint32_t tiles_in(std::uint64_t index) const;
    std::uint32_t rows_in(std::uint64_t index) const;
};

// A chunk in SBUF: its K tile k is at index k of the tile's first axis.
struct Chunk {
    builder::Tile tile;    // [K tile rows, K tiles, columns]
    builder::Event there;  // completion of its load
};

// The source of an operand for a matmul.
class ChunkSource {
  public:
    virtual ~ChunkSource() = default;

    // Returns the chunk of `panel`; it is valid until the next get() of another chunk.
    virtual Chunk get(std::uint64_t chunk, std::uint64_t panel) = 0;
};

// The layout of an operand in HBM: [K, columns], or [columns, K], which DMA transposes on its way.
enum class Layout : std::uint8_t { RowsOfK, ColumnsOfK };

// An HBM tensor read through a ring of SBUF slots; a new chunk replaces the oldest. If there are as many
// slots as chunks, every chunk is loaded once. The load stream runs ahead of the readers while there are free
// slots.
class OperandRing : public ChunkSource {
  public:
    // `width` is the columns of a panel (the last may be narrower).
    OperandRing(builder::KernelBuilder& builder, builder::Queue queue, const builder::TensorView& tensor,
                const KCut& cut, std::uint32_t width, std::uint64_t slots, Layout layout = Layout::RowsOfK);

    Chunk get(std::uint64_t chunk, std::uint64_t panel) override;

    bool resident(std::uint64_t chunk, std::uint64_t panel) const;
    // Returns the bytes that a load of the chunk moves.
    std::uint64_t bytes(std::uint64_t chunk, std::uint64_t panel) const;

  private:
    struct Slot {
        builder::Tile tile;
        std::uint64_t chunk = 0, panel = 0;
        builder::Event there;
    };

    std::uint32_t columns_in(std::uint64_t panel) const;
    builder::Event load(const builder::Tile& to, const builder::TensorView& panel, std::uint64_t first,
                        std::uint64_t rows, std::uint32_t tile);
    const Slot* find(std::uint64_t chunk, std::uint64_t panel) const;
    Slot& load(std::uint64_t chunk, std::uint64_t panel);

    builder::KernelBuilder* builder_;
    builder::Queue queue_;
    builder::TensorView tensor_;
    KCut cut_;
    std::uint32_t width_;
    Layout layout_;
    std::vector<Slot> slots_;
    std::size_t next_ = 0, filled_ = 0;
};

}  // namespace trnsim::kernels
