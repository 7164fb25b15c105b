#include "compiler/kernels/transformer_block.hpp"

#include <fmt/format.h>

#include <optional>

#include "compiler/kernels/attention.hpp"
#include "compiler/kernels/descriptions.hpp"
#include "compiler/kernels/linear.hpp"
#include "compiler/kernels/norms.hpp"
#include "compiler/kernels/rank_collectives.hpp"
#include "compiler/kernels/sum.hpp"

namespace trnsim::kernels {

using builder::TensorView;
using isa::Dtype;
using Kind = neff::TensorKind;

namespace {

neff::Package build_transformer_block(const Arguments& arguments, const target::Chip& target) {
    const std::uint64_t seq = arguments.count("seq"), width = arguments.count("width");
    const std::uint64_t heads = arguments.count("heads"), ranks = arguments.count("ranks");
    const Dtype dtype = arguments.dtype("dtype");
    if (width % heads != 0) arguments.refuse("heads", fmt::format("a divisor of width {}", width));
    if (heads % ranks != 0) arguments.refuse("ranks", fmt::format("a divisor of heads {}", heads));
    const std::uint64_t own = width / ranks, hidden = 4 * own;  // columns of this rank
    builder::KernelBuilder builder("transformer_block", arguments.text(), target);
    using Shape = std::vector<std::uint64_t>;
    const auto input = [&](const char* name, Dtype type, const Shape& shape) {
        return builder.tensor(name, Kind::Input, type, shape);
    };
    const auto scratch = [&](const char* name, Dtype type, const Shape& shape) {
        return builder.tensor(name, Kind::Scratch, type, shape);
    };
    const TensorView x = input("x", dtype, {seq, width});
    const TensorView gamma1 = input("gamma1", Dtype::Fp32, {width}),
                     beta1 = input("beta1", Dtype::Fp32, {width});
    const TensorView wq = input("wq", dtype, {width, own}), wk = input("wk", dtype, {width, own});
    const TensorView wv = input("wv", dtype, {width, own}), wo = input("wo", dtype, {own, width});
    const TensorView gamma2 = input("gamma2", Dtype::Fp32, {width}),
                     beta2 = input("beta2", Dtype::Fp32, {width});
    const TensorView w1 = input("w1", dtype, {width, hidden}), b1 = input("b1", Dtype::Fp32, {hidden});
    const TensorView w2 = input("w2", dtype, {hidden, width}), b2 = input("b2", Dtype::Fp32, {width});
    const TensorView y = builder.tensor("y", Kind::Output, dtype, {seq, width});
    const TensorView normal = scratch("normal", dtype, {seq, width}),
                     mixed = scratch("mixed", dtype, {seq, own});
    const TensorView q = scratch("q", dtype, {seq, own}), k = scratch("k", dtype, {seq, own});
    const TensorView v = scratch("v", dtype, {seq, own}), h = scratch("h", Dtype::Fp32, {seq, width});
    const TensorView inner = scratch("inner", dtype, {seq, hidden});

    Kit kit(builder);
    const std::uint64_t mark = builder.sbuf_mark();
    const auto linear = [&](const Linear& layer) {
        builder.sbuf_release(mark);
        emit_linear(kit, layer);
    };
    std::optional<RankCollectives> collectives;
    std::optional<TensorView> partial;
    if (ranks > 1) {
        collectives.emplace(builder, ranks, isa::Engine::Gpsimd);
        partial = scratch("partial", Dtype::Fp32, {seq, width});
    }
    // A layer whose inputs are divided among the ranks: bias and residual are added once, after the sum over
    // all ranks.
    const auto divided = [&](const Linear& layer) {
        if (!collectives) return linear(layer);
        linear({layer.x, layer.w, *partial, {}, {}, false});
        collectives->all_reduce(*partial, *partial);
        builder.sbuf_release(mark);
        emit_sum(kit, *partial, *layer.residual, layer.bias, layer.y);
    };
    const auto eps = static_cast<float>(arguments.number("eps"));
    emit_layernorm(kit, x, gamma1, beta1, normal, eps);
    for (const auto& [weights, result] : {std::pair{&wq, &q}, std::pair{&wk, &k}, std::pair{&wv, &v}})
        linear({normal, *weights, *result, {}, {}, false});
    std::vector<AttentionHead> parts;
    const std::uint64_t dim = width / heads;
    for (std::uint64_t head = 0; head < heads / ranks; ++head) {
        const auto columns = [&](const TensorView& matrix) { return matrix.slice(1, head * dim, dim); };
        parts.push_back({columns(q), columns(k), columns(v), columns(mixed)});
    }
    builder.sbuf_release(mark);
    emit_attention(kit, {seq, dim, arguments.choice("causal") == "1", dtype}, parts);
    divided({mixed, wo, h, {}, x, false});
    builder.sbuf_release(mark);
    emit_layernorm(kit, h, gamma2, beta2, normal, eps);
    linear({normal, w1, inner, b1, {}, true});
    divided({inner, w2, y, b2, h, false});
    return builder.finish();
}

constexpr std::array BlockArguments{ArgumentInfo{"seq", "rows of x"},
                                    ArgumentInfo{"width", "columns of x"},
                                    ArgumentInfo{"heads", "attention heads, a divisor of width"},
                                    DtypeArgument,
                                    CausalArgument,
                                    EpsArgument,
                                    RanksArgument};
constexpr std::array BlockInputs{
    TensorInfo{"x", "[seq, width] dtype"},
    TensorInfo{"gamma1", "[width] fp32: first layernorm"},
    TensorInfo{"beta1", "[width] fp32"},
    TensorInfo{"wq", "[width, width / ranks] dtype: queries"},
    TensorInfo{"wk", "[width, width / ranks] dtype: keys"},
    TensorInfo{"wv", "[width, width / ranks] dtype: values"},
    TensorInfo{"wo", "[width / ranks, width] dtype: after attention"},
    TensorInfo{"gamma2", "[width] fp32: second layernorm"},
    TensorInfo{"beta2", "[width] fp32"},
    TensorInfo{"w1", "[width, 4 width / ranks] dtype"},
    TensorInfo{"b1", "[4 width / ranks] fp32"},
    TensorInfo{"w2", "[4 width / ranks, width] dtype"},
    TensorInfo{"b2", "[width] fp32"},
};
constexpr std::array BlockOutputs{TensorInfo{"y", "[seq, width] dtype"}};

}  // namespace

constinit const Kernel TransformerBlockKernel{
    "transformer_block", "h = x + attention(norm(x)) wo; y = h + gelu(norm(h) w1 + b1) w2 + b2",
    BlockArguments,      BlockInputs,
    BlockOutputs,        build_transformer_block};

}  // namespace trnsim::kernels
