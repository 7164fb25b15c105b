#include "lib/kernels/cross_entropy.hpp"

#include <limits>

#include "lib/kernels/outputs.hpp"
#include "lib/kernels/rings.hpp"
#include "lib/kernels/rows.hpp"

namespace trnsim::kernels {
namespace {

using builder::Event;
using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

constexpr std::uint64_t Slots = 2;

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
          exponentials_(kit, cut_.partitions, Dtype::Fp32, cut_.width, Slots),
          predicates_(kit, cut_.partitions, Dtype::U8, cut_.width, Slots),
          figures_(kit, cut_.partitions, Dtype::Fp32, Fixed + 2 * cut_.chunks(), Slots),
          indices_(kit.builder.sbuf(cut_.partitions, Dtype::Fp32, {cut_.width})),
          selected_(kit.builder.sbuf(cut_.partitions, Dtype::Fp32, {cut_.width})),
          losses_(kit.builder, kit.queues.stores, cut_.partitions, Dtype::Fp32, 1, Slots),
          gradients_(kit.builder, kit.queues.stores, cut_.partitions, Dtype::Fp32, cut_.width, Slots) {}

    void emit() {
        // 0, 1, 2, ...: exact, for there are at most 2^24 classes.
        builder_.memset(indices_, 1.0f);
        builder_.memset(indices_.slice(0, 0, 1), 0.0f);
        builder_.tensor_scalar_cumulative(indices_, indices_, {}, AluOp::Add);
        for_blocks(
            cut_, [this](std::uint64_t index) { return find_maxima(index); },
            [this](std::uint64_t, const Block& block) { finish(block); });
    }

  private:
    // Columns of a row's figures; then the maxima and the sums of the chunks.
    enum Figure : std::uint32_t {
        Label,
        MinusMaximum,
        Distance,  // logits[label] - maximum
        Sum,       // of exp(logits - maximum)
        Logarithm,
        LabelExponential,
        Scale,  // 1 / (sum rows)
        LabelGradient,
        Fixed
    };

    struct Block {
        std::uint64_t index;
        TileRing::Slot figures;
        TileRing::Slot predicate;  // of the last chunk
        Event ready;               // of the figures so far

        Tile column(std::uint32_t first, std::uint32_t count = 1) const {
            return figures.tile.slice(0, first, count);
        }
    };

    std::uint32_t chunks() const { return static_cast<std::uint32_t>(cut_.chunks()); }

    // Where the label's class is, nonzero.
    TileRing::Slot find_label(const Block& block, std::uint32_t chunk) {
        const TileRing::Slot slot = predicates_.next(cut_.rows_in(block.index), cut_.columns_in(chunk));
        const Tile indices =
            indices_.partition_slice(0, slot.tile.partitions).slice(0, 0, cut_.columns_in(chunk));
        const auto first = static_cast<float>(std::uint64_t{chunk} * cut_.width);
        builder_.tensor_scalar(slot.tile, indices, {AluOp::Add, first},
                               {AluOp::IsEqual, block.column(Label)});
        return slot;
    }

    Block find_maxima(std::uint64_t index) {
        const std::uint32_t rows = cut_.rows_in(index);
        Block block{index, figures_.next(rows, Fixed + 2 * chunks()), {}, {}};
        const InputRing::Loaded label =
            labels_.get(tensors_.labels.slice(0, index * cut_.partitions, rows).split(0, 1));
        labels_.used(label, builder_.tensor_copy(block.column(Label), label.tile,
                                                 join(label.ready, block.figures.free)));
        for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
            const InputRing::Loaded in = inputs_.get(cut_.part(tensors_.logits, index, chunk));
            builder_.tensor_reduce(block.column(Fixed + chunk), in.tile, AluOp::Max, 1, in.ready);
            block.predicate = find_label(block, chunk);
            const Tile selected = selected_.partition_slice(0, rows).slice(0, 0, cut_.columns_in(chunk));
            inputs_.used(in,
                         builder_.select_reduce(
                             selected, in.tile, block.predicate.tile, -std::numeric_limits<float>::infinity(),
                             chunk == 0 ? isa::ReduceCmd::ResetReduce : isa::ReduceCmd::Reduce));
        }
        builder_.read_accumulator(block.column(Distance));
        builder_.tensor_reduce(block.column(MinusMaximum), block.column(Fixed, chunks()), AluOp::Max, 1, {},
                               isa::Rounding::Core, true);
        block.ready = builder_.tensor_tensor(block.column(Distance), block.column(Distance), AluOp::Add,
                                             block.column(MinusMaximum));
        return block;
    }

    // exp(logits - maximum), summed in the accumulators.
    TileRing::Slot exponentiate(const Block& block, std::uint32_t chunk) {
        const InputRing::Loaded in = inputs_.get(cut_.part(tensors_.logits, block.index, chunk));
        const TileRing::Slot slot = exponentials_.next(cut_.rows_in(block.index), cut_.columns_in(chunk));
        inputs_.used(in, builder_.activation(
                             slot.tile, in.tile, isa::Activation::Exp,
                             {.bias = block.column(MinusMaximum), .reduce = isa::ReduceCmd::ResetReduce},
                             join(in.ready, slot.free, block.ready)));
        return slot;
    }

    void finish(const Block& block) {
        TileRing::Slot kept;
        for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
            kept = exponentiate(block, chunk);
            builder_.act_read_accumulator(block.column(Fixed + chunks() + chunk));
        }
        const Event summed =
            builder_.activation(block.column(LabelExponential), block.column(Distance), isa::Activation::Exp);
        const Event scaled = find_loss(block, summed);
        for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
            const TileRing::Slot part = chunks() == 1 ? kept : exponentiate(block, chunk);
            const TileRing::Slot label = chunks() == 1 ? block.predicate : find_label(block, chunk);
            const OutputRing::Slot out = gradients_.next(cut_.rows_in(block.index), cut_.columns_in(chunk));
            const Event softmax =
                builder_.tensor_scalar(out.tile, part.tile, {AluOp::Multiply, block.column(Scale)}, {},
                                       join(scaled, out.writable), isa::Rounding::Core, isa::Engine::Scalar);
            exponentials_.used(part, softmax);
            const Event done =
                builder_.memset_predicated(out.tile, label.tile, block.column(LabelGradient), {softmax});
            figures_.used(block.figures, softmax);
            figures_.used(block.figures, done);
            gradients_.store(cut_.part(tensors_.gradient, block.index, chunk), out, done);
        }
    }

    // Once the sums of the chunks are there; returns when Scale is.
    Event find_loss(const Block& block, Event summed) {
        const Event sum = builder_.tensor_reduce(block.column(Sum), block.column(Fixed + chunks(), chunks()),
                                                 AluOp::Add, 1, {summed});
        const auto share = 1.0f / static_cast<float>(cut_.rows);
        builder_.reciprocal(block.column(Scale), block.column(Sum));
        const Event scaled =
            builder_.tensor_scalar(block.column(Scale), block.column(Scale), {AluOp::Multiply, share});
        builder_.tensor_scalar(block.column(LabelGradient), block.column(LabelExponential),
                               {AluOp::Multiply, block.column(Scale)}, {AluOp::Subtract, share});
        const Event logarithm =
            builder_.activation(block.column(Logarithm), block.column(Sum), isa::Activation::Log, {}, {sum});
        const std::uint32_t rows = cut_.rows_in(block.index);
        const OutputRing::Slot out = losses_.next(rows, 1);
        const Event loss = builder_.tensor_tensor(out.tile, block.column(Logarithm), AluOp::Subtract,
                                                  block.column(Distance), join(logarithm, out.writable));
        losses_.store(tensors_.loss.slice(0, block.index * cut_.partitions, rows).split(0, 1), out, loss);
        return scaled;
    }

    Kit& kit_;
    KernelBuilder& builder_;
    Tensors tensors_;
    RowCut cut_;
    InputRing inputs_, labels_;
    TileRing exponentials_, predicates_, figures_;
    Tile indices_, selected_;
    OutputRing losses_, gradients_;
};

neff::Package build_cross_entropy(const Arguments& arguments, const builder::Target& target) {
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
