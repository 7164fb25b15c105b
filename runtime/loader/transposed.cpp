#include "runtime/loader/transposed.hpp"

#include <algorithm>
#include <array>

#include "compiler/neff/sizes.hpp"

namespace trnsim::loader {
namespace {

using Order = std::array<std::size_t, 4>;

// Returns the order with these two first.
Order order_of(std::size_t first, std::size_t second) {
    Order order{first, second};
    std::size_t next = 2;
    for (std::size_t dim = 0; dim < order.size(); ++dim) {
        if (dim != first && dim != second) order[next++] = dim;
    }
    return order;
}

// The places of the bytes of one side of a transfer, in a given order of its elements.
class Side {
  public:
    // `order` is the dimensions of the pattern, innermost first.
    Side(const neff::Package& package, const neff::Transfer& transfer, const neff::Pattern& pattern,
         const Order& order, const HbmAddresses& addresses, unsigned core) {
        neff::Transfer alone = transfer;
        alone.transposes = false;
        neff::Pattern ordered = pattern;
        for (std::size_t i = 0; i < order.size(); ++i) {
            ordered.step[i] = pattern.step[order[i]];
            ordered.count[i] = pattern.count[order[i]];
        }
        alone.from = alone.to = ordered;
        std::uint64_t at = 0;
        for (const Segment& segment : expand(package, alone, addresses, core)) {
            runs_.push_back({segment.from, segment.bytes});
            starts_.push_back(at);
            at += segment.bytes;
        }
    }

    // Adds bytes begin .. begin + bytes - 1.
    void add(std::uint64_t begin, std::uint64_t bytes, std::vector<Run>& to) const {
        auto i = static_cast<std::size_t>(std::ranges::upper_bound(starts_, begin) - starts_.begin()) - 1;
        for (; bytes != 0; ++i) {
            const std::uint64_t skipped = begin - starts_[i];
            const auto piece =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, runs_[i].bytes - skipped));
            to.push_back({runs_[i].address + skipped, piece});
            begin += piece;
            bytes -= piece;
        }
    }

  private:
    std::vector<Run> runs_;
    std::vector<std::uint64_t> starts_;  // first byte of each run
};

// Cuts single elements off until there are `count` runs.
std::vector<Run> cut(const std::vector<Run>& runs, std::size_t count, std::uint32_t element) {
    std::size_t missing = count > runs.size() ? count - runs.size() : 0;
    std::vector<Run> all;
    for (Run run : runs) {
        for (; missing != 0 && run.bytes > element; --missing) {
            all.push_back({run.address, element});
            run.address += element;
            run.bytes -= element;
        }
        all.push_back(run);
    }
    return all;
}

}  // namespace

std::vector<Segment> expand_transposed(const neff::Package& package, const neff::Transfer& transfer,
                                       const HbmAddresses& addresses, unsigned core) {
    const std::uint32_t element = transfer.element_bytes;
    const std::size_t outermost = neff::outermost(transfer.from);
    const bool along_inner = transfer.from.step[0] == static_cast<std::int64_t>(element);
    const std::size_t read = along_inner ? 0 : outermost, written = along_inner ? outermost : 0;
    const Side from(package, transfer, transfer.from, order_of(read, written), addresses, core);
    const Side to(package, transfer, transfer.to, order_of(written, read), addresses, core);
    const std::uint32_t rows = transfer.from.count[written], columns = transfer.from.count[read];
    const std::uint64_t matrix = std::uint64_t{rows} * columns;
    std::vector<Segment> segments;
    const auto add_tile = [&](std::uint64_t first, std::uint32_t row, std::uint32_t column) {
        auto tile = std::make_shared<TransposedTile>();
        tile->rows = std::min(TileSide, rows - row);
        tile->columns = std::min(TileSide, columns - column);
        for (std::uint64_t r = row; r < row + tile->rows; ++r)
            from.add((first + r * columns + column) * element, std::uint64_t{tile->columns} * element,
                     tile->from);
        for (std::uint64_t c = column; c < column + tile->columns; ++c)
            to.add((first + c * rows + row) * element, std::uint64_t{tile->rows} * element, tile->to);
        tile->from = cut(tile->from, tile->to.size() - 1, element);
        segments.push_back({tile->from.front().address, tile->to.front().address,
                            tile->rows * tile->columns * element, std::nullopt, tile});
    };
    for (std::uint64_t first = 0; first < neff::element_count(transfer.from); first += matrix) {
        for (std::uint32_t column = 0; column < columns; column += TileSide) {
            for (std::uint32_t row = 0; row < rows; row += TileSide) add_tile(first, row, column);
        }
    }
    return segments;
}

}  // namespace trnsim::loader
