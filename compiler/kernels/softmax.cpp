#include "compiler/kernels/softmax.hpp"

#include "compiler/kernels/descriptions.hpp"
#include "compiler/kernels/rings.hpp"
#include "compiler/kernels/rows.hpp"

namespace trnsim::kernels {
namespace {

using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

class Softmax {
  public:
    Softmax(Kit& kit, const TensorView& x, const TensorView& y)
        : kit_(kit),
          x_(x),
          y_(y),
          cut_(cut_rows(kit, x.axes[0].count, x.axes[1].count,
                        [&](std::uint64_t width, std::uint64_t chunks) {
                            return ring_bytes(width, x.dtype, Slots) + ring_bytes(width, y.dtype, Slots) +
                                   ring_bytes(width, Dtype::Fp32, Slots) +
                                   ring_bytes(Fixed + 2 * chunks, Dtype::Fp32, Slots);
                        })),
          inputs_(kit, cut_.partitions, x.dtype, cut_.width, Slots),
          exponentials_(kit.builder, cut_.partitions, Dtype::Fp32, cut_.width, Slots),
          figures_(kit.builder, cut_.partitions, Dtype::Fp32, Fixed + 2 * cut_.chunks(), Slots),
          outputs_(kit.builder, cut_.partitions, y.dtype, cut_.width, Slots) {}

    void emit() {
        for_blocks(
            cut_, [this](std::uint64_t index) { return find_maxima(index); },
            [this](std::uint64_t, const RowBlock& block) { normalise(block); });
    }

  private:
    static constexpr std::uint32_t Fixed = 2;  // -maximum, 1 / sum; the maxima and sums of the chunks follow

    std::uint32_t chunks() const { return static_cast<std::uint32_t>(cut_.chunks()); }

    RowBlock find_maxima(std::uint64_t index) {
        const RowBlock block{index, figures_.next(cut_.rows_in(index), Fixed + 2 * chunks())};
        for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
            kit_.builder.tensor_reduce(block.column(Fixed + chunk), inputs_.get(cut_.part(x_, index, chunk)),
                                       AluOp::Max);
        }
        kit_.builder.tensor_reduce(block.column(0), block.column(Fixed, chunks()), AluOp::Max,
                                   {.negate = true});
        return block;
    }

    // Returns exp(x - maximum); the accumulators have its sum.
    Tile exponentiate(const RowBlock& block, std::uint32_t chunk) {
        const Tile in = inputs_.get(cut_.part(x_, block.index, chunk));
        const Tile result = exponentials_.next(cut_.rows_in(block.index), cut_.columns_in(chunk));
        kit_.builder.activation(result, in, isa::Activation::Exp,
                                {.bias = block.column(0), .reduce = isa::ReduceCmd::ResetReduce});
        return result;
    }

    void normalise(const RowBlock& block) {
        Tile kept;
        for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
            kept = exponentiate(block, chunk);
            kit_.builder.act_read_accumulator(block.column(Fixed + chunks() + chunk));
        }
        kit_.builder.tensor_reduce(block.column(1), block.column(Fixed + chunks(), chunks()), AluOp::Add);
        kit_.builder.reciprocal(block.column(1), block.column(1));
        for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
            const Tile part = chunks() == 1 ? kept : exponentiate(block, chunk);
            const Tile out = outputs_.next(cut_.rows_in(block.index), cut_.columns_in(chunk));
            kit_.builder.tensor_scalar(out, part, {AluOp::Multiply, block.column(1)});
            kit_.store(cut_.part(y_, block.index, chunk), out);
        }
    }

    Kit& kit_;
    TensorView x_, y_;
    RowCut cut_;
    InputRing inputs_;
    TileRing exponentials_, figures_, outputs_;
};

neff::Package build_softmax(const Arguments& arguments, const target::Chip& target) {
    using Kind = neff::TensorKind;
    KernelBuilder builder("softmax", arguments.text(), target);
    const Dtype dtype = arguments.dtype("dtype");
    const std::vector<std::uint64_t> shape{arguments.count("rows"), arguments.count("cols")};
    const TensorView x = builder.tensor("x", Kind::Input, dtype, shape);
    const TensorView y = builder.tensor("y", Kind::Output, dtype, shape);
    Kit kit(builder);
    Softmax(kit, x, y).emit();
    return builder.finish();
}

}  // namespace

constinit const Kernel SoftmaxKernel{"softmax",       "y = exp(x) / sum of exp(x) over the columns",
                                     MatrixArguments, MatrixInputs,
                                     MatrixOutputs,   build_softmax};

}  // namespace trnsim::kernels
