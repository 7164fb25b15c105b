#include "compiler/kernels/descriptions.hpp"
#include "compiler/kernels/norms.hpp"
#include "compiler/kernels/operand.hpp"
#include "compiler/kernels/rings.hpp"
#include "compiler/kernels/rows.hpp"
#include "compiler/kernels/statistics.hpp"

namespace trnsim::kernels {
namespace {

using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

class Layernorm {
  public:
    Layernorm(Kit& kit, const TensorView& x, const TensorView& gamma, const TensorView& beta,
              const TensorView& y, float eps)
        : kit_(kit),
          x_(x),
          gamma_(gamma),
          beta_(beta),
          y_(y),
          cut_(cut_rows(kit, x.axes[0].count, x.axes[1].count,
                        [&](std::uint64_t width, std::uint64_t chunks) {
                            return ring_bytes(width, x.dtype, Slots) + ring_bytes(width, y.dtype, Slots) +
                                   ring_bytes(width, Dtype::Fp32, 1 + 2 * held(chunks)) +
                                   RowStatistics::bytes(width, chunks);
                        })),
          inputs_(kit, cut_.partitions, x.dtype, cut_.width, Slots),
          scales_(kit, cut_.partitions, Dtype::Fp32, cut_.width, held(cut_.chunks())),
          shifts_(kit, cut_.partitions, Dtype::Fp32, cut_.width, held(cut_.chunks())),
          scaled_(kit.builder, cut_.partitions, Dtype::Fp32, cut_.width, 1),
          statistics_(kit, cut_, eps),
          outputs_(kit.builder, cut_.partitions, y.dtype, cut_.width, Slots) {}

    void emit() {
        for_blocks(
            cut_, [this](std::uint64_t block) { return statistics_.find(x_, block, inputs_); },
            [this](std::uint64_t block, const RowStatistics::Figures& figures) {
                normalise(block, figures);
            });
    }

  private:
    // gamma and beta stay in SBUF if there is one chunk of them.
    static std::uint64_t held(std::uint64_t chunks) { return chunks == 1 ? 1 : Slots; }

    void normalise(std::uint64_t block, const RowStatistics::Figures& figures) {
        const std::uint32_t rows = cut_.rows_in(block);
        for (std::uint64_t chunk = 0; chunk < cut_.chunks(); ++chunk) {
            const Tile in = inputs_.get(cut_.part(x_, block, chunk));
            const Tile scale = scales_.get(cut_.spread(gamma_, 0, chunk));
            const Tile shift = shifts_.get(cut_.spread(beta_, 0, chunk));
            const Tile scaled = scaled_.next(rows, cut_.columns_in(chunk));
            const Tile out = outputs_.next(rows, cut_.columns_in(chunk));
            kit_.builder.scalar_tensor_tensor(scaled, in, {AluOp::Subtract, figures.mean()}, AluOp::Multiply,
                                              scale.partition_slice(0, rows));
            kit_.builder.scalar_tensor_tensor(out, scaled, {AluOp::Multiply, figures.scale()}, AluOp::Add,
                                              shift.partition_slice(0, rows));
            kit_.store(cut_.part(y_, block, chunk), out);
        }
    }

    Kit& kit_;
    TensorView x_, gamma_, beta_, y_;
    RowCut cut_;
    InputRing inputs_, scales_, shifts_;
    TileRing scaled_;
    RowStatistics statistics_;
    TileRing outputs_;
};

}  // namespace

void emit_layernorm(Kit& kit, const TensorView& x, const TensorView& gamma, const TensorView& beta,
                    const TensorView& y, float eps) {
    Layernorm(kit, x, gamma, beta, y, eps).emit();
}

namespace {

neff::Package build_layernorm(const Arguments& arguments, const target::Chip& target) {
    using Kind = neff::TensorKind;
    KernelBuilder builder("layernorm", arguments.text(), target);
    const Dtype dtype = arguments.dtype("dtype");
    const std::uint64_t columns = arguments.count("cols");
    const TensorView x = builder.tensor("x", Kind::Input, dtype, {arguments.count("rows"), columns});
    const TensorView gamma = builder.tensor("gamma", Kind::Input, Dtype::Fp32, {columns});
    const TensorView beta = builder.tensor("beta", Kind::Input, Dtype::Fp32, {columns});
    const TensorView y = builder.tensor("y", Kind::Output, dtype, {arguments.count("rows"), columns});
    Kit kit(builder);
    emit_layernorm(kit, x, gamma, beta, y, static_cast<float>(arguments.number("eps")));
    return builder.finish();
}

constexpr std::array LayernormInputs{MatrixIn, GammaIn, TensorInfo{"beta", "[cols] fp32"}};

}  // namespace

constinit const Kernel LayernormKernel{
    "layernorm",   "y = (x - mean) / sqrt(variance + eps) * gamma + beta over the columns",
    NormArguments, LayernormInputs,
    MatrixOutputs, build_layernorm};

}  // namespace trnsim::kernels
