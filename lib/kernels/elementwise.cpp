#include "lib/kernels/elementwise.hpp"

#include "lib/kernels/descriptions.hpp"
#include "lib/kernels/outputs.hpp"
#include "lib/kernels/rings.hpp"
#include "lib/kernels/rows.hpp"

namespace trnsim::kernels {
namespace {

using builder::Event;
using builder::KernelBuilder;
using builder::TensorView;
using isa::Dtype;
using Kind = neff::TensorKind;

constexpr std::uint64_t Slots = 2;

std::vector<std::uint64_t> shape_of(const Arguments& arguments) {
    return {arguments.count("rows"), arguments.count("cols")};
}

// y = one instruction of x, piece by piece.
template <typename Apply>
void emit_map(Kit& kit, const TensorView& x, const TensorView& y, const Apply& apply) {
    const std::uint64_t count = flat(x).axes[0].count;
    const auto pieces = cut_flat(kit, count, [&](std::uint64_t width) {
        return ring_bytes(width, x.dtype, Slots) + ring_bytes(width, y.dtype, Slots);
    });
    const Piece& first = pieces.front();
    InputRing inputs(kit, first.partitions, x.dtype, first.width, Slots);
    OutputRing outputs(kit.builder, kit.queues.stores, first.partitions, y.dtype, first.width, Slots);
    for (const Piece& piece : pieces) {
        const InputRing::Loaded in = inputs.get(piece.of(flat(x)));
        const OutputRing::Slot out = outputs.next(piece.partitions, piece.width);
        const Event done = apply(out.tile, in.tile, join(in.ready, out.writable));
        inputs.used(in, done);
        outputs.store(piece.of(flat(y)), out, done);
    }
}

neff::Package build_cast(const Arguments& arguments, const builder::Target& target) {
    KernelBuilder builder("cast", arguments.text(), target);
    const TensorView x = builder.tensor("x", Kind::Input, Dtype::Fp32, shape_of(arguments));
    const TensorView y = builder.tensor("y", Kind::Output, arguments.dtype("dtype"), shape_of(arguments));
    Kit kit(builder);
    emit_map(kit, x, y, [&](const builder::Tile& dst, const builder::Tile& a, const builder::After& after) {
        return builder.tensor_copy(dst, a, after);
    });
    return builder.finish();
}

neff::Package build_gelu(const Arguments& arguments, const builder::Target& target) {
    KernelBuilder builder("gelu", arguments.text(), target);
    const Dtype dtype = arguments.dtype("dtype");
    const TensorView x = builder.tensor("x", Kind::Input, dtype, shape_of(arguments));
    const TensorView y = builder.tensor("y", Kind::Output, dtype, shape_of(arguments));
    Kit kit(builder);
    emit_map(kit, x, y, [&](const builder::Tile& dst, const builder::Tile& a, const builder::After& after) {
        return builder.activation(dst, a, isa::Activation::Gelu, {}, after);
    });
    return builder.finish();
}

neff::Package build_gelu_backward(const Arguments& arguments, const builder::Target& target) {
    KernelBuilder builder("gelu_backward", arguments.text(), target);
    const Dtype dtype = arguments.dtype("dtype");
    const TensorView x = builder.tensor("x", Kind::Input, dtype, shape_of(arguments));
    const TensorView dy = builder.tensor("dy", Kind::Input, dtype, shape_of(arguments));
    const TensorView dx = builder.tensor("dx", Kind::Output, dtype, shape_of(arguments));
    Kit kit(builder);
    const auto pieces = cut_flat(kit, flat(x).axes[0].count, [&](std::uint64_t width) {
        return ring_bytes(width, dtype, 3 * Slots) + ring_bytes(width, Dtype::Fp32, Slots);
    });
    const Piece& first = pieces.front();
    InputRing points(kit, first.partitions, dtype, first.width, Slots);
    InputRing gradients(kit, first.partitions, dtype, first.width, Slots);
    TileRing slopes(kit, first.partitions, Dtype::Fp32, first.width, Slots);
    OutputRing outputs(builder, kit.queues.stores, first.partitions, dtype, first.width, Slots);
    for (const Piece& piece : pieces) {
        const InputRing::Loaded point = points.get(piece.of(flat(x)));
        const InputRing::Loaded gradient = gradients.get(piece.of(flat(dy)));
        const TileRing::Slot slope = slopes.next(piece.partitions, piece.width);
        const Event derived = builder.activation(slope.tile, point.tile, isa::Activation::GeluDx, {},
                                                 join(point.ready, slope.free));
        points.used(point, derived);
        const OutputRing::Slot out = outputs.next(piece.partitions, piece.width);
        const Event done = builder.tensor_tensor(out.tile, slope.tile, isa::AluOp::Multiply, gradient.tile,
                                                 join(derived, gradient.ready, out.writable));
        slopes.used(slope, done);
        gradients.used(gradient, done);
        outputs.store(piece.of(flat(dx)), out, done);
    }
    return builder.finish();
}

constexpr std::array CastArguments{
    RowsArgument, ColsArgument, ArgumentInfo{"dtype", "element type of y", ArgumentKind::AnyDtype, "bf16"}};
constexpr std::array GradientInputs{MatrixIn, TensorInfo{"dy", "[rows, cols] dtype: gradient at y"}};
constexpr std::array GradientOutputs{TensorInfo{"dx", "[rows, cols] dtype: gradient at x"}};

}  // namespace

constinit const Kernel CastKernel{
    "cast",        "y = x in another type; stochastic rounding as the core is set",
    CastArguments, CastInputs,
    MatrixOutputs, build_cast};
constinit const Kernel GeluKernel{"gelu",       "y = x Phi(x)", MatrixArguments,
                                  MatrixInputs, MatrixOutputs,  build_gelu};
constinit const Kernel GeluBackwardKernel{"gelu_backward", "dx = dy * gelu'(x)", MatrixArguments,
                                          GradientInputs,  GradientOutputs,      build_gelu_backward};

}  // namespace trnsim::kernels
