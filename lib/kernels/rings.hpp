// SBUF tiles used in turn.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/kernels/kit.hpp"

namespace trnsim::kernels {

// Tiles of intermediate results.
class TileRing {
  public:
    // `slots` tiles of [partitions, columns].
    TileRing(Kit& kit, std::uint32_t partitions, isa::Dtype dtype, std::uint64_t columns,
             std::uint64_t slots);

    struct Slot {
        builder::Tile tile;   // [partitions, columns] as asked for
        builder::After free;  // what its first writer comes after
        std::size_t index;
    };

    Slot next(std::uint32_t partitions, std::uint32_t columns);
    // `event` reads or writes the slot; whoever gets it next comes after it. Of one engine the last counts.
    void used(const Slot& slot, builder::Event event);

    std::size_t size() const { return tiles_.size(); }

  private:
    std::vector<builder::Tile> tiles_;
    std::vector<builder::After> uses_;
    std::size_t current_;
};

// Tiles loaded from HBM. What is still in its slot is not loaded again.
class InputRing {
  public:
    InputRing(Kit& kit, std::uint32_t partitions, isa::Dtype dtype, std::uint64_t columns,
              std::uint64_t slots);

    struct Loaded {
        builder::Tile tile;    // as the view
        builder::After ready;  // what a reader comes after
        std::size_t index;
    };

    // `view` is [partitions, columns], of one tensor in all calls. The oldest of the slots is given up: as
    // many views can be in use at a time as there are slots.
    Loaded get(const builder::TensorView& view);
    void used(const Loaded& loaded, builder::Event event);

  private:
    struct Held {
        builder::TensorView view;
        Loaded loaded;
    };

    Kit* kit_;
    TileRing ring_;
    std::vector<Held> held_;  // by slot
};

// PSUM banks used in turn, each for one thing at a time.
class BankRing {
  public:
    // Banks first .. first + count - 1.
    BankRing(Kit& kit, std::uint32_t first, std::uint32_t count) : kit_(&kit), first_(first), uses_(count) {}

    struct Slot {
        builder::Tile tile;   // fp32 [partitions, columns]
        builder::After free;  // what its first writer comes after
        std::uint32_t index;
    };

    Slot next(std::uint32_t partitions, std::uint32_t columns);
    // `last` ends the use of the bank.
    void used(const Slot& slot, builder::Event last) { uses_[slot.index] = last; }

  private:
    Kit* kit_;
    std::uint32_t first_, current_ = 0;
    std::vector<builder::Event> uses_;
};

// Bytes a partition of `slots` tiles of `columns` elements.
std::uint64_t ring_bytes(std::uint64_t columns, isa::Dtype dtype, std::uint64_t slots);

}  // namespace trnsim::kernels
