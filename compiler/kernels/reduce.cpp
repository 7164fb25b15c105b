#include "compiler/kernels/reduce.hpp"

#include <algorithm>
#include <limits>

#include "compiler/kernels/column_sums.hpp"
#include "compiler/kernels/descriptions.hpp"
#include "compiler/kernels/operand.hpp"
#include "compiler/kernels/rings.hpp"
#include "compiler/kernels/rows.hpp"

namespace trnsim::kernels {
namespace {

using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

struct Operation {
    std::string_view name;
    AluOp op;
    float neutral;
};
constexpr float Infinity = std::numeric_limits<float>::infinity();
constexpr Operation Operations[] = {{"add", AluOp::Add, 0.0f},
                                    {"max", AluOp::Max, -Infinity},
                                    {"min", AluOp::Min, Infinity},
                                    {"multiply", AluOp::Multiply, 1.0f}};

void reduce_rows(Kit& kit, const TensorView& x, const TensorView& y, AluOp op) {
    const RowCut cut =
        cut_rows(kit, x.axes[0].count, x.axes[1].count, [](std::uint64_t width, std::uint64_t chunks) {
            return ring_bytes(width, Dtype::Fp32, Slots) + ring_bytes(chunks, Dtype::Fp32, 1) +
                   ring_bytes(1, Dtype::Fp32, Slots);
        });
    const auto chunks = static_cast<std::uint32_t>(cut.chunks());
    InputRing inputs(kit, cut.partitions, Dtype::Fp32, cut.width, Slots);
    const Tile results = kit.builder.sbuf(cut.partitions, Dtype::Fp32, {chunks});
    TileRing outputs(kit.builder, cut.partitions, Dtype::Fp32, 1, Slots);
    for (std::uint64_t block = 0; block < cut.blocks(); ++block) {
        const std::uint32_t rows = cut.rows_in(block);
        const Tile all = results.partition_slice(0, rows);
        for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
            kit.builder.tensor_reduce(all.slice(0, chunk, 1), inputs.get(cut.part(x, block, chunk)), op);
        }
        const Tile out = outputs.next(rows, 1);
        kit.builder.tensor_reduce(out, all, op);
        kit.store(y.slice(0, block * cut.partitions, rows).split(0, 1), out);
    }
}

void add_columns(Kit& kit, const TensorView& x, const TensorView& y) {
    constexpr std::uint32_t Shares = 2;
    const target::Core& target = kit.builder.target();
    const std::uint32_t tile_rows = ColumnSums::max_rows(target);
    const Tile weights = ones(kit, tile_rows, Dtype::Fp32);
    const std::uint32_t widest = ColumnSums::max_columns(target, Shares);
    RowCut cut = cut_rows(kit, x.axes[0].count, x.axes[1].count, [&](std::uint64_t width, std::uint64_t) {
        return width > widest ? std::numeric_limits<std::uint64_t>::max()
                              : ring_bytes(width, Dtype::Fp32, 2 * Slots);
    });
    cut.partitions = std::min(cut.partitions, tile_rows);
    InputRing inputs(kit, tile_rows, Dtype::Fp32, cut.width, Slots);
    TileRing outputs(kit.builder, 1, Dtype::Fp32, cut.width, Slots);
    ColumnSums sums[Shares] = {{kit, 0, Shares}, {kit, 1, Shares}};
    for (std::uint64_t chunk = 0; chunk < cut.chunks(); ++chunk) {
        ColumnSums& sum = sums[chunk % Shares];
        for (std::uint64_t block = 0; block < cut.blocks(); ++block) {
            sum.add(inputs.get(cut.part(x, block, chunk)), weights.partition_slice(0, cut.rows_in(block)));
        }
        const Tile out = outputs.next(1, cut.columns_in(chunk));
        sum.take(out);
        const TensorView part = y.slice(0, chunk * cut.width, cut.columns_in(chunk));
        kit.store(part.split(0, cut.columns_in(chunk)), out);
    }
}

// Operations that give the same result in any order of the rows, exactly or nearly.
class ColumnFold {
  public:
    ColumnFold(Kit& kit, const TensorView& x, const TensorView& y, const Operation& operation)
        : kit_(kit),
          x_(x),
          y_(y),
          operation_(operation),
          quadrant_(kit.partitions() / 4),
          cut_(cut_rows(kit, x.axes[0].count, x.axes[1].count,
                        [&](std::uint64_t width, std::uint64_t) {
                            return ring_bytes(width, Dtype::Fp32, Slots) +
                                   ring_bytes(padded(width), Dtype::Fp32, 2) +
                                   ring_bytes(padded(width) / quadrant_, Dtype::Fp32, Slots);
                        })),
          inputs_(kit, cut_.partitions, Dtype::Fp32, cut_.width, Slots),
          folded_(kit.builder.sbuf(kit.partitions(), Dtype::Fp32, {padded(cut_.width)})),
          transposed_(kit.builder.sbuf(quadrant_, Dtype::Fp32, {padded(cut_.width)})),
          outputs_(kit.builder, quadrant_, Dtype::Fp32, padded(cut_.width) / quadrant_, Slots) {}

    void emit() {
        for (std::uint64_t chunk = 0; chunk < cut_.chunks(); ++chunk) {
            fold(chunk);
            finish(chunk);
        }
    }

  private:
    std::uint32_t padded(std::uint64_t width) const {
        return static_cast<std::uint32_t>(div_up(width, quadrant_)) * quadrant_;
    }

    // Folds all rows into the first quadrant.
    void fold(std::uint64_t chunk) {
        kit_.builder.memset(folded_, operation_.neutral);
        for (std::uint64_t block = 0; block < cut_.blocks(); ++block) {
            const Tile in = inputs_.get(cut_.part(x_, block, chunk));
            const Tile rows =
                folded_.partition_slice(0, cut_.rows_in(block)).slice(0, 0, cut_.columns_in(chunk));
            kit_.builder.tensor_tensor(rows, rows, operation_.op, in);
        }
        for (std::uint32_t rows = kit_.partitions() / 2; rows >= quadrant_; rows /= 2) {
            const Tile low = folded_.partition_slice(0, rows);
            kit_.builder.tensor_tensor(low, low, operation_.op, folded_.partition_slice(rows, rows));
        }
    }

    // Transposes the quadrant: row i then has columns i, i + quadrant, ...
    void finish(std::uint64_t chunk) {
        const std::uint32_t columns = cut_.columns_in(chunk);
        const std::uint32_t groups = padded(columns) / quadrant_;
        const Tile blocks = transposed_.slice(0, 0, groups * quadrant_);
        kit_.builder.transpose_block(blocks,
                                     folded_.partition_slice(0, quadrant_).slice(0, 0, groups * quadrant_));
        Tile grouped = blocks;
        grouped.axes = builder::packed_axes({groups, quadrant_});
        const Tile out = outputs_.next(quadrant_, groups);
        kit_.builder.tensor_reduce(out, grouped, operation_.op);
        const TensorView part = y_.slice(0, chunk * cut_.width, columns);
        const std::uint32_t whole = columns / quadrant_, rest = columns % quadrant_;
        if (whole > 0) {
            const TensorView view = part.slice(0, 0, columns - rest).split(0, quadrant_).swapped(0, 1);
            kit_.store(view, out.slice(0, 0, whole));
        }
        if (rest > 0) {
            const TensorView view = part.slice(0, columns - rest, rest).split(0, 1);
            kit_.store(view, out.slice(0, whole, 1).partition_slice(0, rest));
        }
    }

    Kit& kit_;
    TensorView x_, y_;
    Operation operation_;
    std::uint32_t quadrant_;
    RowCut cut_;
    InputRing inputs_;
    Tile folded_, transposed_;
    TileRing outputs_;
};

neff::Package build_reduce(const Arguments& arguments, const target::Chip& target) {
    using Kind = neff::TensorKind;
    builder::KernelBuilder builder("reduce", arguments.text(), target);
    const std::uint64_t rows = arguments.count("rows"), cols = arguments.count("cols");
    const bool along_rows = arguments.choice("axis") == "1";
    const Operation& operation = *std::ranges::find(Operations, arguments.choice("op"), &Operation::name);
    const TensorView x = builder.tensor("x", Kind::Input, Dtype::Fp32, {rows, cols});
    const TensorView y = builder.tensor("y", Kind::Output, Dtype::Fp32, {along_rows ? rows : cols});
    Kit kit(builder);
    if (along_rows) {
        reduce_rows(kit, x, y, operation.op);
    } else if (operation.op == AluOp::Add) {
        add_columns(kit, x, y);
    } else {
        ColumnFold(kit, x, y, operation).emit();
    }
    return builder.finish();
}

constexpr std::array ReduceArguments{
    RowsArgument, ColsArgument,
    ArgumentInfo{"op", "add, max, min or multiply", ArgumentKind::Choice, "add", "add max min multiply"},
    ArgumentInfo{"axis", "0: over the rows, 1: over the columns", ArgumentKind::Choice, "1", "0 1"}};
constexpr std::array ReduceOutputs{TensorInfo{"y", "[cols] for axis 0, [rows] for axis 1, fp32"}};

}  // namespace

constinit const Kernel ReduceKernel{"reduce",        "y = x reduced with op along an axis",
                                    ReduceArguments, CastInputs,
                                    ReduceOutputs,   build_reduce};

}  // namespace trnsim::kernels
