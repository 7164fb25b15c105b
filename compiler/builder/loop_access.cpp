#include "compiler/builder/loop_access.hpp"

#include <algorithm>
#include <limits>

#include "isa/element_type.hpp"

namespace trnsim::builder {
namespace {

// A range of iterations.
struct Iterations {
    std::int64_t first = 0, last = std::numeric_limits<std::int64_t>::max();

    void cut(std::int64_t from, std::int64_t to) {
        first = std::max(first, from);
        last = std::min(last, to);
    }
    bool empty() const { return first > last; }
};

std::int64_t floor_of(std::int64_t value, std::int64_t by) {
    return value / by - (value % by < 0 ? 1 : 0);
}

// Keeps the iterations in which `other`, moved by `shift` in each, meets `span`.
void cut(Iterations& iterations, const Span& span, const Span& other, std::int64_t shift) {
    const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    // shift * iteration must lie within low and high.
    const std::int64_t low = number(span.first) - number(other.end) + 1;
    const std::int64_t high = number(span.end) - number(other.first) - 1;
    if (shift > 0) return iterations.cut(-floor_of(-low, shift), floor_of(high, shift));
    if (shift < 0) return iterations.cut(-floor_of(high, -shift), floor_of(-low, -shift));
    if (low > 0 || high < 0) iterations.cut(1, 0);
}

bool meets_in(const LoopAccess& earlier, const LoopAccess& later, const Iterations& iterations) {
    if (earlier.tensor != later.tensor || (!earlier.tensor && earlier.memory != later.memory)) return false;
    const bool alike = earlier.shift == later.shift;
    const LoopAccess::Shift shift = alike ? earlier.shift : LoopAccess::Shift{};
    for (const Box& box : alike ? earlier.boxes : earlier.whole.boxes) {
        for (const Box& other : alike ? later.boxes : later.whole.boxes) {
            Iterations left = iterations;
            cut(left, box.along, other.along, shift.along);
            cut(left, box.across, other.across, shift.across);
            if (!left.empty()) return true;
        }
    }
    return false;
}

}  // namespace

LoopAccess loop_access(const Tile& tile, bool write) {
    LoopAccess access{.tensor = {},
                      .memory = tile.memory,
                      .write = write,
                      .boxes = {},
                      .shift = {},
                      .whole = footprint_of(tile)};
    access.boxes = access.whole.boxes;
    return access;
}

LoopAccess loop_access(const TensorView& view, std::uint64_t row, bool write) {
    TensorView all = view;
    all.axes.push_back({view.iterations, view.iteration_step});
    LoopAccess access{
        .tensor = view.tensor, .write = write, .boxes = {}, .shift = {}, .whole = footprint_of(all, row)};
    const std::int64_t step = view.iteration_step * static_cast<std::int64_t>(isa::element_size(view.dtype));
    const auto width = static_cast<std::int64_t>(row);
    access.boxes = footprint_of(view, row).boxes;
    if (step % width == 0) {
        access.shift.along = step / width;
        return access;
    }
    // The slice moves along the columns if all iterations stay within the rows.
    const std::int64_t reach = step * (std::int64_t{view.iterations} - 1);
    const bool columns = std::ranges::all_of(access.boxes, [&](const Box& box) {
        return static_cast<std::int64_t>(box.across.first) + reach >= 0 &&
               static_cast<std::int64_t>(box.across.end) + reach <= width;
    });
    if (columns) {
        access.shift.across = step;
    } else {
        access.boxes = access.whole.boxes;
    }
    return access;
}

bool meets_later(const LoopAccess& earlier, const LoopAccess& later, std::int64_t least) {
    return meets_in(earlier, later, {.first = least});
}

bool meets_at_once(const LoopAccess& earlier, const LoopAccess& later) {
    return meets_in(earlier, later, {.first = 0, .last = 0});
}

}  // namespace trnsim::builder
