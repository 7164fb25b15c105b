// Arguments of calls of the GpSimd engine (docs/firmware.md).
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "compiler/builder/event.hpp"
#include "compiler/builder/tile.hpp"

namespace trnsim::builder {

// An image for the cores in the kernel, by its number there.
struct GpsimdImage {
    std::uint32_t number = 0;
    BuilderNumber builder = NoBuilder;
    bool operator==(const GpsimdImage&) const = default;
};

// base + partition_step p + sum of steps[axis] i[axis], modulo 2^32. p counts from the first partition of the
// result; the axes are those of the result, outermost first.
struct Affine {
    std::int32_t base = 0, partition_step = 0;
    std::vector<std::int32_t> steps{};
};

// A number for integers or floats. It is converted for a result of the other kind if that has the value.
using Number = std::variant<std::int32_t, std::uint32_t, float>;

// `divisor` divides the result, which must be float; 0: none.
struct PartitionReduced {
    std::uint32_t divisor = 0;
    After after{};
};

// `indices` receives the places, u32.
struct Sorted {
    bool descending = false;
    std::optional<Tile> indices{};
    After after{};
};

// `results` is the number of tensors, counted from the last one, that the operator writes.
struct CustomOp {
    std::uint32_t results = 1;
    After after{};
};

}  // namespace trnsim::builder
