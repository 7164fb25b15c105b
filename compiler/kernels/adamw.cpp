#include "compiler/kernels/adamw.hpp"

#include <algorithm>
#include <cmath>

#include "compiler/kernels/operand.hpp"
#include "compiler/kernels/rank_collectives.hpp"
#include "compiler/kernels/rings.hpp"
#include "compiler/kernels/rows.hpp"

namespace trnsim::kernels {
namespace {

using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

// The step's constants, worked out in double and rounded once.
struct Factors {
    explicit Factors(const Arguments& arguments) {
        const auto ranks = static_cast<double>(arguments.count("ranks"));
        const double b1 = arguments.number("beta1"), b2 = arguments.number("beta2");
        const double lr = arguments.number("lr"), decay = arguments.number("weight_decay");
        const auto step = static_cast<double>(arguments.count("step"));
        beta1 = static_cast<float>(b1);
        beta2 = static_cast<float>(b2);
        take = static_cast<float>((1 - b1) / ranks);
        take_root = static_cast<float>(std::sqrt(1 - b2) / ranks);
        rate = static_cast<float>(lr / (1 - std::pow(b1, step)));
        correction = static_cast<float>(1 / (1 - std::pow(b2, step)));
        eps = static_cast<float>(arguments.number("eps"));
        keep = static_cast<float>(1 - lr * decay);
        if (!std::isfinite(rate)) arguments.refuse("lr", "lr / (1 - beta1^step) that fp32 holds");
        if (!std::isfinite(keep)) arguments.refuse("weight_decay", "lr weight_decay that fp32 holds");
        if (!std::isfinite(correction)) arguments.refuse("beta2", "1 / (1 - beta2^step) that fp32 holds");
    }
    float beta1, beta2, take, take_root, rate, correction, eps, keep;
};

constexpr std::size_t Buckets = 4;  // if there are enough pieces

// Pieces [first, end) whose gradients are summed at once, so that one bucket is transferred while the kernel
// works on the previous one.
struct Bucket {
    std::size_t first = 0, end = 0;
};
std::vector<Bucket> buckets_of(std::size_t pieces) {
    const std::size_t count = std::min(Buckets, pieces);
    std::vector<Bucket> buckets;
    for (std::size_t i = 0; i < count; ++i) buckets.push_back({pieces * i / count, pieces * (i + 1) / count});
    return buckets;
}

// Returns the sums of all ranks' gradients in a tensor of their own, made bucket by bucket.
TensorView summed(KernelBuilder& builder, const TensorView& g, std::uint64_t ranks,
                  const std::vector<Piece>& pieces) {
    if (ranks == 1) return g;
    const TensorView sums = builder.tensor("g_sum", neff::TensorKind::Scratch, g.dtype, {g.axes[0].count});
    RankCollectives collectives(builder, ranks, isa::Engine::Tensor);
    for (const Bucket& bucket : buckets_of(pieces.size())) {
        const Piece& last = pieces[bucket.end - 1];
        const std::uint64_t first = pieces[bucket.first].first;
        const std::uint64_t count = last.first + std::uint64_t{last.partitions} * last.width - first;
        collectives.all_reduce(sums.slice(0, first, count), g.slice(0, first, count));
    }
    return sums;
}

neff::Package build_adamw(const Arguments& arguments, const target::Chip& target) {
    using Kind = neff::TensorKind;
    KernelBuilder builder("adamw", arguments.text(), target);
    const Dtype dtype = arguments.dtype("dtype");
    const std::vector<std::uint64_t> shape{arguments.count("n")};
    const TensorView w = builder.tensor("w", Kind::Update, dtype, shape);
    const TensorView own = builder.tensor("g", Kind::Input, dtype, shape);
    const TensorView m = builder.tensor("m", Kind::Update, Dtype::Fp32, shape);
    const TensorView v = builder.tensor("v", Kind::Update, Dtype::Fp32, shape);
    const Factors f(arguments);

    Kit kit(builder);
    const std::uint64_t ranks = arguments.count("ranks");
    const std::uint64_t widest = div_up(shape[0], std::uint64_t{Buckets} * kit.partitions());
    const auto pieces = cut_flat(kit, shape[0], [&](std::uint64_t width) {
        if (ranks > 1 && width > widest) return kit.builder.sbuf_left() + 1;  // leave pieces for every bucket
        return ring_bytes(width, dtype, 3 * Slots) + ring_bytes(width, Dtype::Fp32, 6 * Slots);
    });
    const TensorView g = summed(builder, own, ranks, pieces);
    const Piece& first = pieces.front();
    const auto inputs = [&](Dtype type) {
        return InputRing(kit, first.partitions, type, first.width, Slots);
    };
    const auto tiles = [&](Dtype type) {
        return TileRing(builder, first.partitions, type, first.width, Slots);
    };
    InputRing w_in = inputs(dtype), g_in = inputs(dtype), m_in = inputs(Dtype::Fp32),
              v_in = inputs(Dtype::Fp32);
    TileRing squares = tiles(Dtype::Fp32), updates = tiles(Dtype::Fp32);
    TileRing w_out = tiles(dtype), m_out = tiles(Dtype::Fp32), v_out = tiles(Dtype::Fp32);

    for (const Piece& piece : pieces) {
        const Tile w0 = w_in.get(piece.of(w)), g0 = g_in.get(piece.of(g));
        const Tile m0 = m_in.get(piece.of(m)), v0 = v_in.get(piece.of(v));
        const auto next = [&](TileRing& ring) { return ring.next(piece.partitions, piece.width); };
        const Tile square = next(squares), update = next(updates);
        const Tile w1 = next(w_out), m1 = next(m_out), v1 = next(v_out);

        builder.activation(square, g0, isa::Activation::Square, {.scale = f.take_root});
        builder.tensor_scalar(update, g0, {AluOp::Multiply, f.take});
        builder.scalar_tensor_tensor(m1, m0, {AluOp::Multiply, f.beta1}, AluOp::Add, update);
        builder.scalar_tensor_tensor(v1, v0, {AluOp::Multiply, f.beta2}, AluOp::Add, square);
        builder.activation(square, v1, isa::Activation::Sqrt, {.scale = f.correction});
        builder.tensor_scalar(square, square, {AluOp::Add, f.eps}, {AluOp::Reciprocal});
        builder.scalar_tensor_tensor(update, m1, {AluOp::Multiply, f.rate}, AluOp::Multiply, square);
        builder.scalar_tensor_tensor(w1, w0, {AluOp::Multiply, f.keep}, AluOp::Subtract, update);
        kit.store(piece.of(m), m1);
        kit.store(piece.of(v), v1);
        kit.store(piece.of(w), w1);
    }
    return builder.finish();
}

constexpr std::array AdamwArguments{
    ArgumentInfo{"n", "weights"},
    ArgumentInfo{"dtype", "element type of w and g", ArgumentKind::Dtype, "bf16"},
    ArgumentInfo{"lr", "learning rate", ArgumentKind::Number, "1e-3"},
    ArgumentInfo{"beta1", "decay of m", ArgumentKind::Number, "0.9", "", 1.0},
    ArgumentInfo{"beta2", "decay of v", ArgumentKind::Number, "0.999", "", 1.0},
    ArgumentInfo{"eps", "added to the root of v", ArgumentKind::Number, "1e-8"},
    ArgumentInfo{"weight_decay", "decay of w", ArgumentKind::Number, "0.01"},
    ArgumentInfo{"step", "number of the step, from 1", ArgumentKind::Count, "1"},
    RanksArgument,
};
constexpr TensorInfo WeightsInfo{"w", "[n] dtype: weights, updated in place"};
constexpr TensorInfo MeanInfo{"m", "[n] fp32: running mean of g, updated in place"};
constexpr TensorInfo SquareInfo{"v", "[n] fp32: running mean of g^2, updated in place"};
constexpr std::array AdamwInputs{WeightsInfo, TensorInfo{"g", "[n] dtype: gradient, on each rank its own"},
                                 MeanInfo, SquareInfo};
constexpr std::array AdamwOutputs{WeightsInfo, MeanInfo, SquareInfo};

}  // namespace

constinit const Kernel AdamwKernel{
    "adamw", "one step of AdamW on n weights", AdamwArguments, AdamwInputs, AdamwOutputs, build_adamw};

}  // namespace trnsim::kernels
