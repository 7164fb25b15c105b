#include "compiler/kernels/cross_entropy.hpp"

#include <limits>

#include "compiler/kernels/rings.hpp"
#include "compiler/kernels/rows.hpp"

namespace trnsim::kernels {
namespace {

using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

class CrossEntropy {
  public:
    struct Tensors {
        TensorView logits, labels, loss, gradient;
    };

    CrossEntropy(Kit& kit, const Tensors& tensors)
        : kit_(kit),
          builder_(kit.builder),
          tensors_(tensors),
          cut_(cut_rows(kit, tensors.logits.axes[0].count, tensors.logits.axes[1].count,
                        [](std::uint64_t width, std::uint64_t chunks) {
                            return ring_bytes(width, Dtype::Fp32, 3 * Slots + 2) +
                                   ring_bytes(width, Dtype::U8, Slots) +
                                   ring_bytes(1, Dtype::Fp32, 2 * Slots) +
                                   ring_bytes(Fixed + 2 * chunks, Dtype::Fp32, Slots);
                        })),
          inputs_(kit, cut_.partitions, Dtype::Fp32, cut_.width, Slots),
          labels_(kit, cut_.partitions, Dtype::I32, 1, Slots),
          exponentials_(kit.builder, cut_.partitions, Dtype::Fp32, cut_.width, Slots),
          predicates_(kit.builder, cut_.partitions, Dtype::U8, cut_.width, Slots),
          figures_(kit.builder, cut_.partitions, Dtype::Fp32, Fixed + 2 * cut_.chunks(), Slots),
          indices_(kit.builder.sbuf(cut_.partitions, Dtype::Fp32, {cut_.width})),
          selected_(kit.builder.sbuf(cut_.partitions, Dtype::Fp32, {cut_.width})),
          losses_(kit.builder, cut_.partitions, Dtype::Fp32, 1, Slots),
          gradients_(kit.builder, cut_.partitions, Dtype::Fp32, cut_.width, Slots) {}

    void emit() {
        // 0, 1, 2, ...: they are exact, because there are at most 2^24 classes.
        builder_.memset(indices_, 1.0f);
        builder_.memset(indices_.slice(0, 0, 1), 0.0f);
        builder_.tensor_scalar_cumulative(indices_, indices_, {}, AluOp::Add);
        for_blocks(
            cut_, [this](std::uint64_t index) { return find_maxima(index); },
            [this](std::uint64_t, const Block& block) { finish(block); });
    }

  private:
    // Columns of a row's figures; the maxima and the sums of the chunks follow.
    enum Figure : std::uint32_t {
        Label,
        MinusMaximum,
        Distance,  // logits[label] - maximum
        Sum,       // sum of exp(logits - maximum)
        Logarithm,
        LabelExponential,
        Scale,  // 1 / (sum rows)
        LabelGradient,
        Fixed
    };

    struct Block : RowBlock {
        Tile predicate;  // the predicate of the last chunk
    };

    std::uint32_t chunks() const { return static_cast<std::uint32_t>(cut_.chunks()); }

    // Returns a tile that is nonzero at the label's class.
    Tile find_label(const Block& block, std::uint32_t chunk) {
        const Tile label = predicates_.next(cut_.rows_in(block.index), cut_.columns_in(chunk));
        const Tile indices =
            indices_.partition_slice(0, label.partitions).slice(0, 0, cut_.columns_in(chunk));
        const auto first = static_cast<float>(std::uint64_t{chunk} * cut_.width);
        builder_.tensor_scalar(label, indices, {AluOp::Add, first}, {AluOp::IsEqual, block.column(Label)});
        return label;
    }

    Block find_maxima(std::uint64_t index) {
        const std::uint32_t rows = cut_.rows_in(index);
        Block block{{index, figures_.next(rows, Fixed + 2 * chunks())}, {}};
        builder_.tensor_copy(
            block.column(Label),
            labels_.get(tensors_.labels.slice(0, index * cut_.partitions, rows).split(0, 1)));
        for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
            const Tile in = inputs_.get(cut_.part(tensors_.logits, index, chunk));
            builder_.tensor_reduce(block.column(Fixed + chunk), in, AluOp::Max);
            block.predicate = find_label(block, chunk);
            const Tile selected = selected_.partition_slice(0, rows).slice(0, 0, cut_.columns_in(chunk));
            builder_.select_reduce(
                selected, in, block.predicate, -std::numeric_limits<float>::infinity(),
                {.reduce = chunk == 0 ? isa::ReduceCmd::ResetReduce : isa::ReduceCmd::Reduce});
        }
        builder_.read_accumulator(block.column(Distance));
        builder_.tensor_reduce(block.column(MinusMaximum), block.column(Fixed, chunks()), AluOp::Max,
                               {.negate = true});
        builder_.tensor_tensor(block.column(Distance), block.column(Distance), AluOp::Add,
                               block.column(MinusMaximum));
        return block;
    }

    // Returns exp(logits - maximum); the accumulators have its sum.
    Tile exponentiate(const Block& block, std::uint32_t chunk) {
        const Tile in = inputs_.get(cut_.part(tensors_.logits, block.index, chunk));
        const Tile result = exponentials_.next(cut_.rows_in(block.index), cut_.columns_in(chunk));
        builder_.activation(result, in, isa::Activation::Exp,
                            {.bias = block.column(MinusMaximum), .reduce = isa::ReduceCmd::ResetReduce});
        return result;
    }

    void finish(const Block& block) {
        Tile kept;
        for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
            kept = exponentiate(block, chunk);
            builder_.act_read_accumulator(block.column(Fixed + chunks() + chunk));
        }
        builder_.activation(block.column(LabelExponential), block.column(Distance), isa::Activation::Exp);
        find_loss(block);
        for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
            const Tile part = chunks() == 1 ? kept : exponentiate(block, chunk);
            const Tile label = chunks() == 1 ? block.predicate : find_label(block, chunk);
            const Tile out = gradients_.next(cut_.rows_in(block.index), cut_.columns_in(chunk));
            builder_.tensor_scalar(out, part, {AluOp::Multiply, block.column(Scale)}, {},
                                   {.engine = isa::Engine::Scalar});
            builder_.memset_predicated(out, label, block.column(LabelGradient));
            kit_.store(cut_.part(tensors_.gradient, block.index, chunk), out);
        }
    }

    // Call it when the sums of the chunks are complete.
    void find_loss(const Block& block) {
        const auto share = 1.0f / static_cast<float>(cut_.rows);
        builder_.tensor_reduce(block.column(Sum), block.column(Fixed + chunks(), chunks()), AluOp::Add);
        builder_.reciprocal(block.column(Scale), block.column(Sum));
        builder_.tensor_scalar(block.column(Scale), block.column(Scale), {AluOp::Multiply, share});
        builder_.tensor_scalar(block.column(LabelGradient), block.column(LabelExponential),
                               {AluOp::Multiply, block.column(Scale)}, {AluOp::Subtract, share});
        builder_.activation(block.column(Logarithm), block.column(Sum), isa::Activation::Log);
        const std::uint32_t rows = cut_.rows_in(block.index);
        const Tile loss = losses_.next(rows, 1);
        builder_.tensor_tensor(loss, block.column(Logarithm), AluOp::Subtract, block.column(Distance));
        kit_.store(tensors_.loss.slice(0, block.index * cut_.partitions, rows).split(0, 1), loss);
    }

    Kit& kit_;
    KernelBuilder& builder_;
    Tensors tensors_;
    RowCut cut_;
    InputRing inputs_, labels_;
    TileRing exponentials_, predicates_, figures_;
    Tile indices_, selected_;
    TileRing losses_, gradients_;
};

neff::Package build_cross_entropy(const Arguments& arguments, const target::Chip& target) {
    using Kind = neff::TensorKind;
    KernelBuilder builder("cross_entropy", arguments.text(), target);
    const std::uint64_t rows = arguments.count("rows"), classes = arguments.count("classes");
    const CrossEntropy::Tensors tensors{
        builder.tensor("logits", Kind::Input, Dtype::Fp32, {rows, classes}),
        builder.tensor("labels", Kind::Input, Dtype::I32, {rows}),
        builder.tensor("loss", Kind::Output, Dtype::Fp32, {rows}),
        builder.tensor("dlogits", Kind::Output, Dtype::Fp32, {rows, classes})};
    Kit kit(builder);
    CrossEntropy(kit, tensors).emit();
    return builder.finish();
}

constexpr std::array CrossEntropyArguments{ArgumentInfo{"rows", "samples"},
                                           ArgumentInfo{"classes", "classes"}};
constexpr std::array CrossEntropyInputs{TensorInfo{"logits", "[rows, classes] fp32"},
                                        TensorInfo{"labels", "[rows] i32: 0 to classes - 1"}};
constexpr std::array CrossEntropyOutputs{
    TensorInfo{"loss", "[rows] fp32: of each row"},
    TensorInfo{"dlogits", "[rows, classes] fp32: gradient of the mean loss"}};

}  // namespace

constinit const Kernel CrossEntropyKernel{
    "cross_entropy",       "loss = -log(softmax(logits)[label]) and the gradient of its mean",
    CrossEntropyArguments, CrossEntropyInputs,
    CrossEntropyOutputs,   build_cross_entropy};

}  // namespace trnsim::kernels
