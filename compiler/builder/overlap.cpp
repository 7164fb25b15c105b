#include "compiler/builder/overlap.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "isa/element_type.hpp"

namespace trnsim::builder {
namespace {

struct Extent {
    std::int64_t first, end;  // bytes
};

Extent extent_of(const ElementPattern& pattern) {
    Extent extent{pattern.offset, pattern.offset + pattern.bytes};
    for (const Axis& axis : pattern.axes) {
        const std::int64_t reach = (std::int64_t{axis.count} - 1) * axis.step * pattern.bytes;
        (reach < 0 ? extent.first : extent.end) += reach;
    }
    return extent;
}

bool alike(const ElementPattern& one, const ElementPattern& other) {
    return one.bytes == other.bytes &&
           std::ranges::equal(one.axes, other.axes, [](const Axis& x, const Axis& y) {
               return x.count == y.count && (x.count == 1 || x.step == y.step);
           });
}

// Returns whether all combinations of the axes' elements have different places: every step is larger than the
// reach of all axes with smaller steps together.
bool distinct(std::vector<Axis> axes) {
    std::erase_if(axes, [](const Axis& axis) { return axis.count == 1; });
    for (Axis& axis : axes) axis.step = std::abs(axis.step);
    std::ranges::sort(axes, {}, &Axis::step);
    std::int64_t reach = 0;
    for (const Axis& axis : axes) {
        if (axis.step <= reach) return false;
        reach += (std::int64_t{axis.count} - 1) * axis.step;
    }
    return true;
}

}  // namespace

ElementPattern pattern_of(const Tile& tile) {
    ElementPattern pattern{tile.memory, tile.partition, tile.offset, isa::element_size(tile.dtype),
                           {},          tile.buffer};
    std::copy(tile.axes.rbegin(), tile.axes.rend(), pattern.axes.begin());
    return pattern;
}

bool overlap_is_undefined(const ElementPattern& dst, const ElementPattern& source) {
    if (dst.memory != source.memory || dst.partition != source.partition || dst.buffer != source.buffer)
        return false;
    const Extent written = extent_of(dst), read = extent_of(source);
    if (written.end <= read.first || read.end <= written.first) return false;
    if (!alike(dst, source)) return true;
    // In place or interleaved, the two operands form one pattern, with their distance as an axis of two.
    std::vector<Axis> axes(source.axes.begin(), source.axes.end());
    const std::int64_t apart = (dst.offset - source.offset) / source.bytes;
    if (apart != 0) axes.push_back({2, apart});
    return !distinct(axes);
}

}  // namespace trnsim::builder
