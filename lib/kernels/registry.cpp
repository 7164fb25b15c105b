#include "lib/kernels/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/kernels/adamw.hpp"
#include "lib/kernels/attention.hpp"
#include "lib/kernels/transformer_block.hpp"

#include "lib/kernels/cross_entropy.hpp"
#include "lib/kernels/elementwise.hpp"
#include "lib/kernels/layernorm_backward.hpp"
#include "lib/kernels/matmul.hpp"
#include "lib/kernels/mlp.hpp"
#include "lib/kernels/norms.hpp"
#include "lib/kernels/reduce.hpp"
#include "lib/kernels/softmax.hpp"
#include "lib/kernels/transpose.hpp"

namespace trnsim::kernels {
namespace {

constexpr ArgumentInfo DtypeArgument{"dtype", "element type of the operands", ArgumentKind::Dtype, "bf16"};

constexpr std::array MatmulArguments{
    ArgumentInfo{"M", "rows of c", ArgumentKind::Count, ""},
    ArgumentInfo{"K", "contraction", ArgumentKind::Count, ""},
    ArgumentInfo{"N", "columns of c", ArgumentKind::Count, ""},
    DtypeArgument,
};
constexpr std::array MatmulInputs{
    TensorInfo{"a", "[K, M] dtype: the left operand, transposed"},
    TensorInfo{"b", "[K, N] dtype: the right operand"},
};
constexpr std::array MatmulOutputs{TensorInfo{"c", "[M, N] fp32: a.T @ b"}};

constexpr std::array MlpArguments{
    ArgumentInfo{"batch", "samples", ArgumentKind::Count, ""},
    ArgumentInfo{"inputs", "features of a sample", ArgumentKind::Count, ""},
    ArgumentInfo{"hidden", "units of the hidden layer", ArgumentKind::Count, ""},
    ArgumentInfo{"outputs", "results of a sample", ArgumentKind::Count, ""},
    DtypeArgument,
};
constexpr std::array MlpInputs{
    TensorInfo{"x", "[inputs, batch] dtype: one sample a column"},
    TensorInfo{"w1", "[inputs, hidden] dtype"},
    TensorInfo{"b1", "[hidden] fp32"},
    TensorInfo{"w2", "[hidden, outputs] dtype"},
    TensorInfo{"b2", "[outputs] fp32"},
};
constexpr std::array MlpOutputs{
    TensorInfo{"y", "[outputs, batch] fp32: w2.T @ h + b2 with h = relu(w1.T @ x + b1) rounded to dtype"},
};

constexpr ArgumentInfo RowsArgument{"rows", "rows of x"};
constexpr ArgumentInfo ColsArgument{"cols", "columns of x"};
constexpr ArgumentInfo EpsArgument{"eps", "added to the variance", ArgumentKind::Number, "1e-5"};
constexpr std::array MatrixArguments{RowsArgument, ColsArgument, DtypeArgument};
constexpr std::array NormArguments{RowsArgument, ColsArgument, DtypeArgument, EpsArgument};
constexpr std::array CastArguments{
    RowsArgument, ColsArgument, ArgumentInfo{"dtype", "element type of y", ArgumentKind::AnyDtype, "bf16"}};
constexpr std::array TransposeArguments{
    RowsArgument, ColsArgument, ArgumentInfo{"dtype", "element type", ArgumentKind::AnyDtype, "fp32"}};
constexpr std::array ReduceArguments{
    RowsArgument, ColsArgument,
    ArgumentInfo{"op", "add, max, min or multiply", ArgumentKind::Choice, "add", "add max min multiply"},
    ArgumentInfo{"axis", "0: over the rows, 1: over the columns", ArgumentKind::Choice, "1", "0 1"}};
constexpr std::array CrossEntropyArguments{ArgumentInfo{"rows", "samples"},
                                           ArgumentInfo{"classes", "classes"}};

constexpr TensorInfo MatrixIn{"x", "[rows, cols] dtype"};
constexpr TensorInfo GammaIn{"gamma", "[cols] fp32"};
constexpr std::array MatrixInputs{MatrixIn};
constexpr std::array CastInputs{TensorInfo{"x", "[rows, cols] fp32"}};
constexpr std::array GradientInputs{MatrixIn, TensorInfo{"dy", "[rows, cols] dtype: gradient at y"}};
constexpr std::array LayernormInputs{MatrixIn, GammaIn, TensorInfo{"beta", "[cols] fp32"}};
constexpr std::array RmsnormInputs{MatrixIn, GammaIn};
constexpr std::array TransposeOutputs{TensorInfo{"y", "[cols, rows] dtype"}};
constexpr std::array ReduceOutputs{TensorInfo{"y", "[cols] for axis 0, [rows] for axis 1, fp32"}};
constexpr std::array LayernormBackwardInputs{MatrixIn, GammaIn,
                                             TensorInfo{"dy", "[rows, cols] dtype: gradient at y"}};
constexpr std::array LayernormBackwardOutputs{TensorInfo{"dx", "[rows, cols] dtype: gradient at x"},
                                              TensorInfo{"dgamma", "[cols] fp32"},
                                              TensorInfo{"dbeta", "[cols] fp32"}};
constexpr std::array CrossEntropyInputs{TensorInfo{"logits", "[rows, classes] fp32"},
                                        TensorInfo{"labels", "[rows] i32: 0 to classes - 1"}};
constexpr std::array CrossEntropyOutputs{
    TensorInfo{"loss", "[rows] fp32: of each row"},
    TensorInfo{"dlogits", "[rows, classes] fp32: gradient of the mean loss"}};
constexpr std::array MatrixOutputs{TensorInfo{"y", "[rows, cols] dtype"}};
constexpr std::array GradientOutputs{TensorInfo{"dx", "[rows, cols] dtype: gradient at x"}};

constexpr ArgumentInfo CausalArgument{"causal", "1: query i sees keys up to i", ArgumentKind::Choice, "0",
                                      "0 1"};
constexpr std::array AttentionArguments{ArgumentInfo{"seq", "queries, and keys"},
                                        ArgumentInfo{"dim", "elements of each"}, CausalArgument,
                                        DtypeArgument};
constexpr std::array AttentionInputs{TensorInfo{"q", "[seq, dim] dtype"}, TensorInfo{"k", "[seq, dim] dtype"},
                                     TensorInfo{"v", "[seq, dim] dtype"}};
constexpr std::array AttentionOutputs{TensorInfo{"o", "[seq, dim] dtype"}};

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

constexpr std::array BlockArguments{ArgumentInfo{"seq", "rows of x"},
                                    ArgumentInfo{"width", "columns of x"},
                                    ArgumentInfo{"heads", "attention heads, a divisor of width"},
                                    DtypeArgument,
                                    CausalArgument,
                                    EpsArgument};
constexpr std::array BlockInputs{
    TensorInfo{"x", "[seq, width] dtype"},
    TensorInfo{"gamma1", "[width] fp32: first layernorm"},
    TensorInfo{"beta1", "[width] fp32"},
    TensorInfo{"wq", "[width, width] dtype: queries"},
    TensorInfo{"wk", "[width, width] dtype: keys"},
    TensorInfo{"wv", "[width, width] dtype: values"},
    TensorInfo{"wo", "[width, width] dtype: behind attention"},
    TensorInfo{"gamma2", "[width] fp32: second layernorm"},
    TensorInfo{"beta2", "[width] fp32"},
    TensorInfo{"w1", "[width, 4 width] dtype"},
    TensorInfo{"b1", "[4 width] fp32"},
    TensorInfo{"w2", "[4 width, width] dtype"},
    TensorInfo{"b2", "[width] fp32"},
};
constexpr std::array BlockOutputs{TensorInfo{"y", "[seq, width] dtype"}};

constexpr std::array Kernels{
    Kernel{"matmul", "c = a.T @ b, fp32 accumulation", MatmulArguments, MatmulInputs, MatmulOutputs,
           build_matmul},
    Kernel{"mlp", "y = w2.T @ relu(w1.T @ x + b1) + b2: a network with one hidden layer", MlpArguments,
           MlpInputs, MlpOutputs, build_mlp},
    Kernel{"cast", "y = x in another type; stochastic rounding as the core is set", CastArguments, CastInputs,
           MatrixOutputs, build_cast},
    Kernel{"softmax", "y = exp(x) / sum of exp(x) over the columns", MatrixArguments, MatrixInputs,
           MatrixOutputs, build_softmax},
    Kernel{"layernorm", "y = (x - mean) / sqrt(variance + eps) * gamma + beta over the columns",
           NormArguments, LayernormInputs, MatrixOutputs, build_layernorm},
    Kernel{"layernorm_backward", "gradients of layernorm at x, gamma and beta", NormArguments,
           LayernormBackwardInputs, LayernormBackwardOutputs, build_layernorm_backward},
    Kernel{"rmsnorm", "y = x / sqrt(mean of x^2 + eps) * gamma over the columns", NormArguments,
           RmsnormInputs, MatrixOutputs, build_rmsnorm},
    Kernel{"gelu", "y = x Phi(x)", MatrixArguments, MatrixInputs, MatrixOutputs, build_gelu},
    Kernel{"gelu_backward", "dx = dy * gelu'(x)", MatrixArguments, GradientInputs, GradientOutputs,
           build_gelu_backward},
    Kernel{"attention", "o = softmax(q k.T / sqrt(dim)) v, online", AttentionArguments, AttentionInputs,
           AttentionOutputs, build_attention},
    Kernel{"adamw", "one step of AdamW on n weights", AdamwArguments, AdamwInputs, AdamwOutputs, build_adamw},
    Kernel{"transformer_block", "h = x + attention(norm(x)) wo; y = h + gelu(norm(h) w1 + b1) w2 + b2",
           BlockArguments, BlockInputs, BlockOutputs, build_transformer_block},
    Kernel{"reduce", "y = x reduced with op along an axis", ReduceArguments, CastInputs, ReduceOutputs,
           build_reduce},
    Kernel{"transpose", "y = x.T, every bit unchanged", TransposeArguments, MatrixInputs, TransposeOutputs,
           build_transpose},
    Kernel{"cross_entropy", "loss = -log(softmax(logits)[label]) and the gradient of its mean",
           CrossEntropyArguments, CrossEntropyInputs, CrossEntropyOutputs, build_cross_entropy},
};

}  // namespace

std::span<const Kernel> kernels() {
    return Kernels;
}

const Kernel& find_kernel(std::string_view name) {
    const auto* found = std::ranges::find(Kernels, name, &Kernel::name);
    if (found != Kernels.end()) return *found;
    std::string names;
    for (const Kernel& kernel : Kernels) names += fmt::format("{}{}", names.empty() ? "" : ", ", kernel.name);
    throw ArgumentError(fmt::format("no kernel '{}'; there are {}", name, names));
}

neff::Package build_kernel(std::string_view name, const std::map<std::string, std::string>& arguments,
                           const builder::Target& target) {
    const Kernel& kernel = find_kernel(name);
    neff::Package package = kernel.build(Arguments(kernel.name, kernel.arguments, arguments), target);
    package.origin.kernel = kernel.name;
    return package;
}

bool is_built_in(const neff::Package& package) {
    return package.origin.builder == TRNSIM_VERSION &&
           std::ranges::find(Kernels, package.origin.kernel, &Kernel::name) != Kernels.end();
}

}  // namespace trnsim::kernels
