#include "compiler/kernels/transpose.hpp"

#include <algorithm>

#include "compiler/builder/error.hpp"
#include "compiler/kernels/descriptions.hpp"
#include "compiler/kernels/operand.hpp"
#include "compiler/kernels/rings.hpp"
#include "isa/element_type.hpp"

namespace trnsim::kernels {
namespace {

using builder::TensorView;
using builder::Tile;

constexpr std::uint64_t RowBytes = 2048;       // bytes of a DMA row; longer ones gain nothing
constexpr std::uint32_t MaxElements = 0xffff;  // elements of an axis of an instruction
constexpr std::uint32_t Quadrants = 4;

// A tile has Quadrants * groups * q rows of x, q partitions to a quadrant, and blocks * q columns.
struct Cut {
    std::uint32_t q = 1, groups = 1, blocks = 1;

    std::uint32_t quadrant_rows() const { return groups * q; }
    std::uint32_t rows() const { return Quadrants * quadrant_rows(); }
    std::uint32_t columns() const { return blocks * q; }
    std::uint32_t elements() const { return groups * columns(); }  // elements in a partition
};

Cut plan(const Kit& kit, std::uint64_t rows, std::uint64_t columns, isa::Dtype dtype) {
    Cut cut{kit.partitions() / Quadrants};
    const auto fits = [&](const Cut& wanted) {
        return wanted.elements() <= MaxElements &&
               ring_bytes(wanted.elements(), dtype, 2 * Slots) <= kit.builder.sbuf_left();
    };
    if (!fits(cut)) throw builder::Error("transpose: not one block fits SBUF");
    const std::uint64_t most = div_up(RowBytes / isa::element_size(dtype), cut.q);
    const std::uint64_t most_groups = std::min(most, div_up(rows, std::uint64_t{Quadrants} * cut.q));
    const std::uint64_t most_blocks = std::min(most, div_up(columns, cut.q));
    for (bool grown = true; grown;) {
        grown = false;
        for (const bool columns_grow : {true, false}) {
            Cut larger = cut;
            (columns_grow ? larger.blocks : larger.groups) += 1;
            if (larger.blocks > most_blocks || larger.groups > most_groups || !fits(larger)) continue;
            cut = larger;
            grown = true;
        }
    }
    return cut;
}

class Transposition {
  public:
    Transposition(Kit& kit, const TensorView& x, const TensorView& y)
        : kit_(kit),
          x_(x),
          y_(y),
          cut_(plan(kit, x.axes[0].count, x.axes[1].count, x.dtype)),
          sources_(kit.builder, kit.partitions(), x.dtype, cut_.elements(), Slots),
          results_(kit.builder, kit.partitions(), x.dtype, cut_.elements(), Slots) {}

    void emit() {
        // The padding of the last tiles is transposed, too, so it must be written.
        for (std::uint64_t i = 0; i < Slots; ++i)
            kit_.builder.memset(sources_.next(kit_.partitions(), cut_.elements()), 0.0f);
        for (std::uint64_t row = 0; row < x_.axes[0].count; row += cut_.rows()) {
            for (std::uint64_t column = 0; column < x_.axes[1].count; column += cut_.columns())
                transpose(row, column);
        }
    }

  private:
    // Return the rows and columns of x that a quadrant has from its first one.
    std::uint32_t rows_from(std::uint64_t first) const {
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(cut_.quadrant_rows(), x_.axes[0].count - first));
    }
    std::uint32_t columns_from(std::uint64_t first) const {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(cut_.columns(), x_.axes[1].count - first));
    }

    void transpose(std::uint64_t row, std::uint64_t column) {
        Tile from = sources_.next(kit_.partitions(), cut_.elements());
        Tile to = results_.next(kit_.partitions(), cut_.elements());
        from.axes = builder::packed_axes({cut_.groups, cut_.blocks, cut_.q});
        to.axes = builder::packed_axes({cut_.blocks, cut_.groups, cut_.q});

        for_quadrants(
            row, [&](std::uint32_t quadrant, std::uint64_t first) { load(quadrant, first, column, from); });
        std::swap(to.axes[0], to.axes[1]);
        kit_.builder.transpose_block(to, from);
        std::swap(to.axes[0], to.axes[1]);
        for_quadrants(
            row, [&](std::uint32_t quadrant, std::uint64_t first) { store(quadrant, first, column, to); });
    }

    // Calls `work` with every quadrant that has rows of x, and its first row.
    template <typename Work>
    void for_quadrants(std::uint64_t row, const Work& work) const {
        for (std::uint32_t quadrant = 0; quadrant < Quadrants; ++quadrant) {
            const std::uint64_t first = row + std::uint64_t{quadrant} * cut_.quadrant_rows();
            if (first < x_.axes[0].count) work(quadrant, first);
        }
    }

    // Loads a quadrant's rows from `row`: whole groups, then the rest of one.
    void load(std::uint32_t quadrant, std::uint64_t row, std::uint64_t column, const Tile& to) {
        const std::uint32_t rows = rows_from(row), columns = columns_from(column);
        const std::uint32_t whole = rows / cut_.q * cut_.q, rest = rows - whole;
        Tile part = to.partition_slice(quadrant * cut_.q, cut_.q);
        part.axes = {{cut_.groups, cut_.columns()}, {columns, 1}};
        const TensorView view = x_.slice(1, column, columns);
        if (whole > 0) {
            kit_.load(part.slice(0, 0, whole / cut_.q),
                      view.slice(0, row, whole).split(0, cut_.q).swapped(0, 1));
        }
        if (rest > 0) {
            kit_.load(part.slice(0, whole / cut_.q, 1).partition_slice(0, rest),
                      view.slice(0, row + whole, rest).split(0, rest).swapped(0, 1));
        }
    }

    // Stores a quadrant's rows of x from `row` as columns of y: whole blocks of its rows, then the rest of
    // one.
    void store(std::uint32_t quadrant, std::uint64_t row, std::uint64_t column, const Tile& from) {
        const std::uint32_t rows = rows_from(row), columns = columns_from(column);
        const std::uint32_t whole = columns / cut_.q * cut_.q, rest = columns - whole;
        Tile part = from.partition_slice(quadrant * cut_.q, cut_.q);
        part.axes = {{cut_.blocks, cut_.quadrant_rows()}, {rows, 1}};
        const TensorView view = y_.slice(1, row, rows);
        if (whole > 0) {
            kit_.store(view.slice(0, column, whole).split(0, cut_.q).swapped(0, 1),
                       part.slice(0, 0, whole / cut_.q));
        }
        if (rest > 0) {
            kit_.store(view.slice(0, column + whole, rest).split(0, rest).swapped(0, 1),
                       part.slice(0, whole / cut_.q, 1).partition_slice(0, rest));
        }
    }

    Kit& kit_;
    TensorView x_, y_;
    Cut cut_;
    TileRing sources_, results_;
};

neff::Package build_transpose(const Arguments& arguments, const target::Chip& target) {
    using Kind = neff::TensorKind;
    builder::KernelBuilder builder("transpose", arguments.text(), target);
    const std::uint64_t rows = arguments.count("rows"), cols = arguments.count("cols");
    const isa::Dtype dtype = arguments.dtype("dtype");
    const TensorView x = builder.tensor("x", Kind::Input, dtype, {rows, cols});
    const TensorView y = builder.tensor("y", Kind::Output, dtype, {cols, rows});
    Kit kit(builder);
    Transposition(kit, x, y).emit();
    return builder.finish();
}

constexpr std::array TransposeArguments{
    RowsArgument, ColsArgument, ArgumentInfo{"dtype", "element type", ArgumentKind::AnyDtype, "fp32"}};
constexpr std::array TransposeOutputs{TensorInfo{"y", "[cols, rows] dtype"}};

}  // namespace

constinit const Kernel TransposeKernel{"transpose",        "y = x.T, every bit unchanged",
                                       TransposeArguments, MatrixInputs,
                                       TransposeOutputs,   build_transpose};

}  // namespace trnsim::kernels
