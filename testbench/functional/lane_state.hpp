// What the Vector and Scalar engines keep from one instruction to the next.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/neff/package.hpp"

namespace trnsim::functional {

inline constexpr std::uint8_t KeepRow = 255;  // entry of the shuffle mask: the row is not written

// After reset: accumulators +0, mask all KeepRow, no table set.
struct LaneState {
    explicit LaneState(const neff::Target& target)
        : accumulators(static_cast<std::size_t>(target.partitions)),
          shuffle_mask(static_cast<std::size_t>(target.partitions / 4), KeepRow) {}

    std::vector<float> accumulators;         // by lane
    std::vector<std::uint8_t> shuffle_mask;  // Vector: by row of a quadrant
    std::optional<std::uint8_t> table_set;   // Scalar
};

}  // namespace trnsim::functional
