// Results on their way from the Vector engine to HBM.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/builder/kernel_builder.hpp"

namespace trnsim::kernels {

// A ring of SBUF tiles: the Vector engine fills one, a store empties it.
class OutputRing {
  public:
    // `slots` tiles of [partitions, columns].
    OutputRing(builder::KernelBuilder& builder, std::uint32_t queue, std::uint32_t partitions,
               isa::Dtype dtype, std::uint32_t columns, std::uint64_t slots);

    struct Slot {
        builder::Tile tile;       // [partitions, columns] as asked for
        builder::After writable;  // what a writer comes after
    };

    Slot next(std::uint32_t partitions, std::uint32_t columns);
    // Stores the tile got last to `to` after `written`; returns the end of the transfer.
    builder::Event store(const builder::TensorView& to, const Slot& slot, builder::Event written);

  private:
    builder::KernelBuilder* builder_;
    std::uint32_t queue_;
    std::vector<builder::Tile> tiles_;
    std::vector<builder::Event> stored_;
    std::size_t current_ = 0;
};

}  // namespace trnsim::kernels
