#include "testbench/kernels/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "testbench/kernels/matmul.hpp"
#include "testbench/kernels/mlp.hpp"

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

constexpr std::array Kernels{
    Kernel{"matmul", "c = a.T @ b, fp32 accumulation", MatmulArguments, MatmulInputs, MatmulOutputs,
           build_matmul},
    Kernel{"mlp", "y = w2.T @ relu(w1.T @ x + b1) + b2: a network with one hidden layer", MlpArguments,
           MlpInputs, MlpOutputs, build_mlp},
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
                           const neff::Target& target) {
    const Kernel& kernel = find_kernel(name);
    return kernel.build(Arguments(kernel.name, kernel.arguments, arguments), target);
}

}  // namespace trnsim::kernels
