#include "testbench/functional/overlap.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace trnsim::functional {
namespace {

using Offsets = std::vector<std::int64_t>;

// An axis of nested rows of elements: `count` elements along it, `step` bytes from one to the next.
struct Axis {
    std::size_t count;
    std::int64_t step;
};

// docs/instruction-semantics.md: operands share partitions when they start at the same one.
bool shares_partitions(const Places& x, const Places& y) {
    return x.memory == y.memory && x.partition == y.partition;
}

// Returns whether all bytes of one lie below those of the other.
bool apart(const Places& x, const Places& y) {
    const auto [x_low, x_high] = std::ranges::minmax(x.offsets);
    const auto [y_low, y_high] = std::ranges::minmax(y.offsets);
    return x_high + x.bytes <= y_low || y_high + y.bytes <= x_low;
}

// Returns whether every element of dst has the same distance from its element of source.
bool alike(const Places& dst, const Places& source) {
    if (dst.bytes != source.bytes || dst.counts != source.counts) return false;
    const std::int64_t distance = dst.offsets[0] - source.offsets[0];
    return std::ranges::equal(dst.offsets, source.offsets,
                              [&](std::int64_t to, std::int64_t from) { return to - from == distance; });
}

// Returns the axes along which there are several elements.
std::vector<Axis> axes_of(const Places& places) {
    std::vector<Axis> axes;
    std::size_t next = 1;  // the element one step along the axis from the first
    for (const std::uint32_t count : places.counts) {
        if (count > 1) axes.push_back({count, places.offsets[next] - places.offsets[0]});
        next *= count;
    }
    return axes;
}

// Returns the offsets of the elements along these axes from the first one.
Offsets elements_along(const std::vector<Axis>& axes) {
    Offsets all{0};
    for (const Axis& axis : axes) {
        const std::size_t once = all.size();
        for (std::size_t i = once; i < once * axis.count; ++i) all.push_back(all[i - once] + axis.step);
    }
    return all;
}

// Returns whether the following holds for every axis: the elements between two neighbours along it, which are
// those along all other axes of no larger step, end before the second neighbour begins. Then no two elements
// share a byte.
bool nested(const std::vector<Axis>& axes, std::uint32_t bytes) {
    for (const Axis& axis : axes) {
        std::vector<Axis> inner;
        for (const Axis& other : axes)
            if (&other != &axis && std::abs(other.step) <= std::abs(axis.step)) inner.push_back(other);
        const Offsets block = elements_along(inner);
        const auto [low, high] = std::ranges::minmax(block);
        if (low + std::abs(axis.step) < high + bytes) return false;
    }
    return true;
}

}  // namespace

bool overlap_is_undefined(const Places& dst, const Places& source) {
    if (!shares_partitions(dst, source) || apart(dst, source)) return false;
    if (!alike(dst, source)) return true;
    std::vector<Axis> axes = axes_of(source);
    const std::int64_t distance = dst.offsets[0] - source.offsets[0];
    if (distance != 0) axes.push_back({2, distance});  // treats the two operands as one
    return !nested(axes, source.bytes);
}

}  // namespace trnsim::functional
