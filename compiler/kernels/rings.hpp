// Tiles used in turn: a tile that is reused waits for its readers, as the builder derives.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/kernels/kit.hpp"

namespace trnsim::kernels {

// Tiles of a ring where one is filled while the one before is read.
inline constexpr std::uint64_t Slots = 2;

// SBUF tiles of intermediate results, or of results on their way to HBM.
class TileRing {
  public:
    // `slots` tiles of [partitions, columns].
    TileRing(builder::KernelBuilder& builder, std::uint32_t partitions, isa::Dtype dtype,
             std::uint64_t columns, std::uint64_t slots);

    // Returns the next tile, cut to [partitions, columns].
    builder::Tile next(std::uint32_t partitions, std::uint32_t columns);

    std::size_t size() const { return tiles_.size(); }
    std::size_t current() const { return current_; }  // slot of the tile returned last

  private:
    std::vector<builder::Tile> tiles_;
    std::size_t current_;
};

// Tiles loaded from HBM. A view that is still in its slot is not loaded again.
class InputRing {
  public:
    InputRing(Kit& kit, std::uint32_t partitions, isa::Dtype dtype, std::uint64_t columns,
              std::uint64_t slots);

    // Returns a tile with `view`, which is [partitions, columns]. It replaces the oldest slot: as many views
    // can be in use at a time as there are slots.
    builder::Tile get(const builder::TensorView& view);

  private:
    struct Held {
        builder::TensorView view;
        builder::Tile tile;
    };

    Kit* kit_;
    TileRing ring_;
    std::vector<Held> held_;  // by slot
};

// PSUM banks used in turn, each for one tile at a time.
class BankRing {
  public:
    // Uses banks first .. first + count - 1.
    BankRing(builder::KernelBuilder& builder, std::uint32_t first, std::uint32_t count)
        : builder_(&builder), first_(first), count_(count), current_(count - 1) {}

    // Returns fp32 [partitions, columns].
    builder::Tile next(std::uint32_t partitions, std::uint32_t columns) {
        current_ = (current_ + 1) % count_;
        return builder_->psum({first_ + current_}, partitions, columns);
    }

  private:
    builder::KernelBuilder* builder_;
    std::uint32_t first_, count_, current_;
};

// Returns the bytes a partition of `slots` tiles of `columns` elements.
std::uint64_t ring_bytes(std::uint64_t columns, isa::Dtype dtype, std::uint64_t slots);

}  // namespace trnsim::kernels
