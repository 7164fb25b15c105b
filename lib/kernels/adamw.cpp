#include "lib/kernels/adamw.hpp"

#include <cmath>

#include "lib/kernels/outputs.hpp"
#include "lib/kernels/rings.hpp"
#include "lib/kernels/rows.hpp"

namespace trnsim::kernels {
namespace {

using builder::Event;
using builder::KernelBuilder;
using builder::TensorView;
using isa::AluOp;
using isa::Dtype;

constexpr std::uint64_t Slots = 2;

// The step's constants, worked out in double and rounded once.
struct Factors {
    explicit Factors(const Arguments& arguments) {
        const double b1 = arguments.number("beta1"), b2 = arguments.number("beta2");
        const double lr = arguments.number("lr"), decay = arguments.number("weight_decay");
        const auto step = static_cast<double>(arguments.count("step"));
        beta1 = static_cast<float>(b1);
        beta2 = static_cast<float>(b2);
        take = static_cast<float>(1 - b1);
        take_root = static_cast<float>(std::sqrt(1 - b2));
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

neff::Package build_adamw(const Arguments& arguments, const builder::Target& target) {
    using Kind = neff::TensorKind;
    KernelBuilder builder("adamw", arguments.text(), target);
    const Dtype dtype = arguments.dtype("dtype");
    const std::vector<std::uint64_t> shape{arguments.count("n")};
    const TensorView w = builder.tensor("w", Kind::Update, dtype, shape);
    const TensorView g = builder.tensor("g", Kind::Input, dtype, shape);
    const TensorView m = builder.tensor("m", Kind::Update, Dtype::Fp32, shape);
    const TensorView v = builder.tensor("v", Kind::Update, Dtype::Fp32, shape);
    const Factors f(arguments);

    Kit kit(builder);
    const auto pieces = cut_flat(kit, shape[0], [&](std::uint64_t width) {
        return ring_bytes(width, dtype, 3 * Slots) + ring_bytes(width, Dtype::Fp32, 6 * Slots);
    });
    const Piece& first = pieces.front();
    const auto inputs = [&](Dtype type) {
        return InputRing(kit, first.partitions, type, first.width, Slots);
    };
    const auto tiles = [&] { return TileRing(kit, first.partitions, Dtype::Fp32, first.width, Slots); };
    const auto outputs = [&](Dtype type) {
        return OutputRing(builder, kit.queues.stores, first.partitions, type, first.width, Slots);
    };
    InputRing w_in = inputs(dtype), g_in = inputs(dtype), m_in = inputs(Dtype::Fp32),
              v_in = inputs(Dtype::Fp32);
    TileRing squares = tiles(), updates = tiles();
    OutputRing w_out = outputs(dtype), m_out = outputs(Dtype::Fp32), v_out = outputs(Dtype::Fp32);

    for (const Piece& piece : pieces) {
        const InputRing::Loaded w0 = w_in.get(piece.of(w)), g0 = g_in.get(piece.of(g));
        const InputRing::Loaded m0 = m_in.get(piece.of(m)), v0 = v_in.get(piece.of(v));
        const TileRing::Slot square = squares.next(piece.partitions, piece.width);
        const TileRing::Slot update = updates.next(piece.partitions, piece.width);
        const OutputRing::Slot w1 = w_out.next(piece.partitions, piece.width);
        const OutputRing::Slot m1 = m_out.next(piece.partitions, piece.width);
        const OutputRing::Slot v1 = v_out.next(piece.partitions, piece.width);

        const Event squared = builder.activation(square.tile, g0.tile, isa::Activation::Square,
                                                 {.scale = f.take_root}, join(g0.ready, square.free));
        const Event taken = builder.tensor_scalar(update.tile, g0.tile, {AluOp::Multiply, f.take}, {},
                                                  join(g0.ready, update.free));
        g_in.used(g0, squared);
        g_in.used(g0, taken);
        const Event m_there =
            builder.scalar_tensor_tensor(m1.tile, m0.tile, {AluOp::Multiply, f.beta1}, AluOp::Add,
                                         update.tile, join(m0.ready, m1.writable));
        m_in.used(m0, m_there);
        const Event v_there =
            builder.scalar_tensor_tensor(v1.tile, v0.tile, {AluOp::Multiply, f.beta2}, AluOp::Add,
                                         square.tile, join(v0.ready, squared, v1.writable));
        v_in.used(v0, v_there);
        const Event rooted = builder.activation(square.tile, v1.tile, isa::Activation::Sqrt,
                                                {.scale = f.correction}, {v_there});
        builder.tensor_scalar(square.tile, square.tile, {AluOp::Add, f.eps}, {AluOp::Reciprocal}, {rooted});
        builder.scalar_tensor_tensor(update.tile, m1.tile, {AluOp::Multiply, f.rate}, AluOp::Multiply,
                                     square.tile);
        const Event w_there =
            builder.scalar_tensor_tensor(w1.tile, w0.tile, {AluOp::Multiply, f.keep}, AluOp::Subtract,
                                         update.tile, join(w0.ready, w1.writable));
        w_in.used(w0, w_there);
        squares.used(square, w_there);
        updates.used(update, w_there);
        m_out.store(piece.of(m), m1, w_there);
        v_out.store(piece.of(v), v1, w_there);
        w_out.store(piece.of(w), w1, w_there);
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
};
constexpr TensorInfo WeightsInfo{"w", "[n] dtype: weights, updated in place"};
constexpr TensorInfo MeanInfo{"m", "[n] fp32: running mean of g, updated in place"};
constexpr TensorInfo SquareInfo{"v", "[n] fp32: running mean of g^2, updated in place"};
constexpr std::array AdamwInputs{WeightsInfo, TensorInfo{"g", "[n] dtype: gradient"}, MeanInfo, SquareInfo};
constexpr std::array AdamwOutputs{WeightsInfo, MeanInfo, SquareInfo};

}  // namespace

constinit const Kernel AdamwKernel{
    "adamw", "one step of AdamW on n weights", AdamwArguments, AdamwInputs, AdamwOutputs, build_adamw};

}  // namespace trnsim::kernels
