#include "compiler/kernels/descriptions.hpp"
#include "compiler/kernels/norms.hpp"
#include "compiler/kernels/rings.hpp"
#include "compiler/kernels/rows.hpp"

namespace trnsim::kernels {
namespace {

using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

constexpr std::uint32_t RmsFigures = 2;  // sum of squares, scale; then the sums of the chunks

class Rmsnorm {
  public:
    Rmsnorm(Kit& kit, const TensorView& x, const TensorView& gamma, const TensorView& y, float eps)
        : kit_(kit),
          x_(x),
          gamma_(gamma),
          y_(y),
          eps_(eps),
          cut_(cut_rows(kit, x.axes[0].count, x.axes[1].count,
                        [&](std::uint64_t width, std::uint64_t chunks) {
                            return ring_bytes(width, x.dtype, Slots) + ring_bytes(width, y.dtype, Slots) +
                                   ring_bytes(width, Dtype::Fp32, 1 + held(chunks)) +
                                   ring_bytes(RmsFigures + chunks, Dtype::Fp32, Slots);
                        })),
          inputs_(kit, cut_.partitions, x.dtype, cut_.width, Slots),
          scales_(kit, cut_.partitions, Dtype::Fp32, cut_.width, held(cut_.chunks())),
          squares_(kit.builder, cut_.partitions, Dtype::Fp32, cut_.width, 1),
          figures_(kit.builder, cut_.partitions, Dtype::Fp32, RmsFigures + cut_.chunks(), Slots),
          outputs_(kit.builder, cut_.partitions, y.dtype, cut_.width, Slots) {}

    void emit() {
        for_blocks(
            cut_, [this](std::uint64_t index) { return add_squares(index); },
            [this](std::uint64_t, const RowBlock& block) { normalise(block); });
    }

  private:
    // gamma stays in SBUF if there is one chunk of it.
    static std::uint64_t held(std::uint64_t chunks) { return chunks == 1 ? 1 : Slots; }

    RowBlock add_squares(std::uint64_t index) {
        const auto chunks = static_cast<std::uint32_t>(cut_.chunks());
        const RowBlock block{index, figures_.next(cut_.rows_in(index), RmsFigures + chunks)};
        for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
            const Tile in = inputs_.get(cut_.part(x_, index, chunk));
            const Tile squares = squares_.next(cut_.rows_in(index), cut_.columns_in(chunk));
            kit_.builder.activation(squares, in, isa::Activation::Square,
                                    {.reduce = isa::ReduceCmd::ResetReduce});
            kit_.builder.act_read_accumulator(block.column(RmsFigures + chunk));
        }
        kit_.builder.tensor_reduce(block.column(0), block.column(RmsFigures, chunks), AluOp::Add);
        kit_.builder.activation(block.column(1), block.column(0), isa::Activation::Rsqrt,
                                {.scale = 1.0f / static_cast<float>(cut_.columns), .bias = eps_});
        return block;
    }

    void normalise(const RowBlock& block) {
        const std::uint32_t rows = cut_.rows_in(block.index);
        for (std::uint64_t chunk = 0; chunk < cut_.chunks(); ++chunk) {
            const Tile in = inputs_.get(cut_.part(x_, block.index, chunk));
            const Tile scale = scales_.get(cut_.spread(gamma_, 0, chunk));
            const Tile out = outputs_.next(rows, cut_.columns_in(chunk));
            kit_.builder.scalar_tensor_tensor(out, in, {AluOp::Multiply, block.column(1)}, AluOp::Multiply,
                                              scale.partition_slice(0, rows));
            kit_.store(cut_.part(y_, block.index, chunk), out);
        }
    }

    Kit& kit_;
    TensorView x_, gamma_, y_;
    float eps_;
    RowCut cut_;
    InputRing inputs_, scales_;
    TileRing squares_, figures_, outputs_;
};

neff::Package build_rmsnorm(const Arguments& arguments, const target::Chip& target) {
    using Kind = neff::TensorKind;
    KernelBuilder builder("rmsnorm", arguments.text(), target);
    const Dtype dtype = arguments.dtype("dtype");
    const std::vector<std::uint64_t> shape{arguments.count("rows"), arguments.count("cols")};
    const TensorView x = builder.tensor("x", Kind::Input, dtype, shape);
    const TensorView gamma = builder.tensor("gamma", Kind::Input, Dtype::Fp32, {shape[1]});
    const TensorView y = builder.tensor("y", Kind::Output, dtype, shape);
    Kit kit(builder);
    Rmsnorm(kit, x, gamma, y, static_cast<float>(arguments.number("eps"))).emit();
    return builder.finish();
}

constexpr std::array RmsnormInputs{MatrixIn, GammaIn};

}  // namespace

constinit const Kernel RmsnormKernel{
    "rmsnorm",     "y = x / sqrt(mean of x^2 + eps) * gamma over the columns",
    NormArguments, RmsnormInputs,
    MatrixOutputs, build_rmsnorm};

}  // namespace trnsim::kernels
