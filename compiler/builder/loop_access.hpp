// The accesses of calls in a loop, in every iteration.
#pragma once

#include <optional>
#include <vector>

#include "arch/target/memory.hpp"
#include "compiler/builder/footprint.hpp"

namespace trnsim::builder {

struct LoopAccess {
    // The distance by which the boxes move from one iteration to the next.
    struct Shift {
        std::int64_t along = 0, across = 0;
        bool operator==(const Shift&) const = default;
    };

    std::optional<std::uint32_t> tensor;  // in HBM; nullopt: on the chip
    target::Memory memory = target::Memory::Sbuf;
    bool write = false;
    std::vector<Box> boxes;  // boxes of iteration 0
    Shift shift;
    Footprint whole;  // footprint of all iterations
};

LoopAccess loop_access(const Tile& tile, bool write);
// `row` is the bytes of a row of the view's tensor.
LoopAccess loop_access(const TensorView& view, std::uint64_t row, bool write);

// Returns whether `later` meets, `least` or more iterations after, an access of `earlier`. If the two do not
// step alike, all of their iterations count.
bool meets_later(const LoopAccess& earlier, const LoopAccess& later, std::int64_t least);
// Returns whether they meet in the same iteration.
bool meets_at_once(const LoopAccess& earlier, const LoopAccess& later);

}  // namespace trnsim::builder
