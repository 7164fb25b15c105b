#include "compiler/builder/footprint.hpp"

#include <algorithm>
#include <cstdlib>

#include "isa/element_type.hpp"

namespace trnsim::builder {
namespace {

// The most runs into which a pattern with gaps is cut; with more runs the gaps count as accessed.
constexpr std::uint64_t MaxRuns = 32;

struct Repeat {
    std::uint64_t count, step;
};

// `size` units from `first` on, repeated; the steps ascend.
struct Pattern {
    std::uint64_t first = 0, size = 1;
    std::vector<Repeat> repeats;

    // Merges the repeats that leave no gaps into `size`.
    void close() {
        std::ranges::sort(repeats, {}, &Repeat::step);
        std::size_t closed = 0;
        while (closed < repeats.size() && repeats[closed].step <= size) {
            size += (repeats[closed].count - 1) * repeats[closed].step;
            ++closed;
        }
        repeats.erase(repeats.begin(), repeats.begin() + static_cast<std::ptrdiff_t>(closed));
    }

    std::uint64_t runs() const {
        std::uint64_t product = 1;
        for (const Repeat& repeat : repeats) product *= std::min(repeat.count, MaxRuns + 1);
        return product;
    }

    // Calls `take` with every run, or once with a span of all runs and the gaps between them. Returns whether
    // the runs are exact.
    template <typename Take>
    bool each_run(const Take& take) const {
        if (runs() > MaxRuns) {
            std::uint64_t reach = size;
            for (const Repeat& repeat : repeats) reach += (repeat.count - 1) * repeat.step;
            take(Span{first, first + reach});
            return false;
        }
        each_run(repeats.size(), first, take);
        return true;
    }

  private:
    template <typename Take>
    void each_run(std::size_t depth, std::uint64_t from, const Take& take) const {
        if (depth == 0) {
            take(Span{from, from + size});
            return;
        }
        const Repeat& repeat = repeats[depth - 1];
        for (std::uint64_t i = 0; i < repeat.count; ++i) each_run(depth - 1, from + i * repeat.step, take);
    }
};

// Returns the pattern in bytes after close().
template <typename Axes>
Pattern pattern_in_bytes(const Axes& axes, std::uint64_t offset, std::uint64_t element) {
    Pattern pattern;
    pattern.size = element;
    auto first = static_cast<std::int64_t>(offset);
    for (const auto& axis : axes) {
        if (axis.count == 1 || axis.step == 0) continue;
        const std::int64_t step = axis.step * static_cast<std::int64_t>(element);
        if (step < 0) first += step * (static_cast<std::int64_t>(axis.count) - 1);
        pattern.repeats.push_back({axis.count, static_cast<std::uint64_t>(std::abs(step))});
    }
    pattern.first = static_cast<std::uint64_t>(first);
    pattern.close();
    return pattern;
}

// Adds consecutive bytes as boxes: the rest of a row, whole rows, the beginning of a row.
void add_bytes(std::vector<Box>& boxes, const Span& bytes, std::uint64_t row) {
    std::uint64_t first = bytes.first / row;
    const std::uint64_t last = bytes.end / row, begin = bytes.first % row, rest = bytes.end % row;
    if (first == last) {
        boxes.push_back({{first, first + 1}, {begin, rest}});
        return;
    }
    if (begin != 0) {
        boxes.push_back({{first, first + 1}, {begin, row}});
        ++first;
    }
    if (first < last) boxes.push_back({{first, last}, {0, row}});
    if (rest != 0) boxes.push_back({{last, last + 1}, {0, rest}});
}

}  // namespace

Footprint footprint_of(const Tile& tile) {
    Footprint footprint;
    const Span partitions{tile.partition, std::uint64_t{tile.partition} + tile.partitions};
    footprint.exact = pattern_in_bytes(tile.axes, tile.offset, isa::element_size(tile.dtype))
                          .each_run([&](const Span& run) {
                              footprint.boxes.push_back({run, partitions});
                          });
    return footprint;
}

Footprint footprint_of(const TensorView& view, std::uint64_t row) {
    const std::uint64_t element = isa::element_size(view.dtype);
    Pattern bytes = pattern_in_bytes(view.axes, view.offset * element, element);
    Footprint footprint;
    const bool columns =
        bytes.first % row + bytes.size <= row &&
        std::ranges::all_of(bytes.repeats, [&](const Repeat& repeat) { return repeat.step % row == 0; });
    if (!columns) {
        footprint.exact = bytes.each_run([&](const Span& run) { add_bytes(footprint.boxes, run, row); });
        return footprint;
    }
    const Span across{bytes.first % row, bytes.first % row + bytes.size};
    Pattern rows{bytes.first / row, 1, std::move(bytes.repeats)};
    for (Repeat& repeat : rows.repeats) repeat.step /= row;
    rows.close();
    footprint.exact = rows.each_run([&](const Span& run) { footprint.boxes.push_back({run, across}); });
    return footprint;
}

}  // namespace trnsim::builder
