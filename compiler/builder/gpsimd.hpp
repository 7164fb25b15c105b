// What calls of the GpSimd engine take (docs/firmware.md).
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "compiler/builder/event.hpp"
#include "compiler/builder/tile.hpp"

namespace trnsim::builder {

// An image for the cores that is in the kernel, by its number there.
struct GpsimdImage {
    std::uint32_t number = 0;
    BuilderNumber builder = NoBuilder;
    bool operator==(const GpsimdImage&) const = default;
};

// base + partition_step p + sum of steps[axis] i[axis], modulo 2^32: p counts from the first partition of the
// result, axes are its axes, the outermost first.
struct Affine {
    std::int32_t base = 0, partition_step = 0;
    std::vector<std::int32_t> steps{};
};

// A number for integers or floats. For a result of the other kind it is converted, if it has the value.
using Number = std::variant<std::int32_t, std::uint32_t, float>;

// `divisor`: of the result, of floats only; 0: none.
struct PartitionReduced {
    std::uint32_t divisor = 0;
    After after{};
};

// `indices`: gets the places, u32.
struct Sorted {
    bool descending = false;
    std::optional<Tile> indices{};
    After after{};
};

// `results`: how many of the tensors, from the last on, the operator writes.
struct CustomOp {
    std::uint32_t results = 1;
    After after{};
};

}  // namespace trnsim::builder
