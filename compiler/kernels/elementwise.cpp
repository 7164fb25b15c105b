#include "compiler/kernels/elementwise.hpp"

#include "compiler/kernels/descriptions.hpp"
#include "compiler/kernels/rings.hpp"
#include "compiler/kernels/rows.hpp"

namespace trnsim::kernels {
namespace {

using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using isa::Dtype;
using Kind = neff::TensorKind;

std::vector<std::uint64_t> shape_of(const Arguments& arguments) {
    return {arguments.count("rows"), arguments.count("cols")};
}

// Emits y = one instruction of x, piece by piece.
template <typename Apply>
void emit_map(Kit& kit, const TensorView& x, const TensorView& y, const Apply& apply) {
    const std::uint64_t count = flat(x).axes[0].count;
    const auto pieces = cut_flat(kit, count, [&](std::uint64_t width) {
        return ring_bytes(width, x.dtype, Slots) + ring_bytes(width, y.dtype, Slots);
    });
    const Piece& first = pieces.front();
    InputRing inputs(kit, first.partitions, x.dtype, first.width, Slots);
    TileRing outputs(kit.builder, first.partitions, y.dtype, first.width, Slots);
    for (const Piece& piece : pieces) {
        const Tile in = inputs.get(piece.of(flat(x)));
        const Tile out = outputs.next(piece.partitions, piece.width);
        apply(out, in);
        kit.store(piece.of(flat(y)), out);
    }
}

neff::Package build_cast(const Arguments& arguments, const target::Chip& target) {
    KernelBuilder builder("cast", arguments.text(), target);
    const TensorView x = builder.tensor("x", Kind::Input, Dtype::Fp32, shape_of(arguments));
    const TensorView y = builder.tensor("y", Kind::Output, arguments.dtype("dtype"), shape_of(arguments));
    Kit kit(builder);
    emit_map(kit, x, y, [&](const Tile& dst, const Tile& a) { builder.tensor_copy(dst, a); });
    return builder.finish();
}

neff::Package build_gelu(const Arguments& arguments, const target::Chip& target) {
    KernelBuilder builder("gelu", arguments.text(), target);
    const Dtype dtype = arguments.dtype("dtype");
    const TensorView x = builder.tensor("x", Kind::Input, dtype, shape_of(arguments));
    const TensorView y = builder.tensor("y", Kind::Output, dtype, shape_of(arguments));
    Kit kit(builder);
    emit_map(kit, x, y,
             [&](const Tile& dst, const Tile& a) { builder.activation(dst, a, isa::Activation::Gelu); });
    return builder.finish();
}

neff::Package build_gelu_backward(const Arguments& arguments, const target::Chip& target) {
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
    TileRing slopes(builder, first.partitions, Dtype::Fp32, first.width, Slots);
    TileRing outputs(builder, first.partitions, dtype, first.width, Slots);
    for (const Piece& piece : pieces) {
        const Tile point = points.get(piece.of(flat(x))), gradient = gradients.get(piece.of(flat(dy)));
        const Tile slope = slopes.next(piece.partitions, piece.width);
        const Tile out = outputs.next(piece.partitions, piece.width);
        builder.activation(slope, point, isa::Activation::GeluDx);
        builder.tensor_tensor(out, slope, isa::AluOp::Multiply, gradient);
        kit.store(piece.of(flat(dx)), out);
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
