#include "compiler/kernels/registry.hpp"
#include "compiler/builder/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/kernels/adamw.hpp"
#include "compiler/kernels/all_gather_matmul.hpp"
#include "compiler/kernels/attention.hpp"
#include "compiler/kernels/transformer_block.hpp"

#include "compiler/kernels/cross_entropy.hpp"
#include "compiler/kernels/elementwise.hpp"
#include "compiler/kernels/embedding.hpp"
#include "compiler/kernels/layernorm_backward.hpp"
#include "compiler/kernels/matmul.hpp"
#include "compiler/kernels/mlp.hpp"
#include "compiler/kernels/norms.hpp"
#include "compiler/kernels/reduce.hpp"
#include "compiler/kernels/softmax.hpp"
#include "compiler/kernels/transpose.hpp"

namespace trnsim::kernels {
namespace {

// The table names each kernel, because the linker drops unreferenced parts of a static library.
constexpr std::array Table{
    &MatmulKernel,
    &MlpKernel,
    &CastKernel,
    &SoftmaxKernel,
    &LayernormKernel,
    &LayernormBackwardKernel,
    &RmsnormKernel,
    &GeluKernel,
    &GeluBackwardKernel,
    &AttentionKernel,
    &AdamwKernel,
    &TransformerBlockKernel,
    &ReduceKernel,
    &TransposeKernel,
    &CrossEntropyKernel,
    &EmbeddingKernel,
    &AllGatherMatmulKernel,
};

}  // namespace

std::span<const Kernel> kernels() {
    static const auto all = [] {
        std::array<Kernel, Table.size()> copies{};
        std::ranges::transform(Table, copies.begin(), [](const Kernel* kernel) { return *kernel; });
        return copies;
    }();
    return all;
}

const Kernel& find_kernel(std::string_view name) {
    constexpr std::string_view Alias = "nc_matmul";  // its name in the Neuron Kernel Interface
    const auto found = std::ranges::find(kernels(), name == Alias ? MatmulKernel.name : name, &Kernel::name);
    if (found != kernels().end()) return *found;
    std::string names;
    for (const Kernel& kernel : kernels())
        names += fmt::format("{}{}", names.empty() ? "" : ", ", kernel.name);
    throw ArgumentError(fmt::format("no kernel '{}'; there are {}", name, names));
}

neff::Package build_kernel(std::string_view name, const std::map<std::string, std::string>& arguments,
                           const target::Chip& target) {
    const Kernel& kernel = find_kernel(name);
    try {
        neff::Package package = kernel.build(Arguments(kernel.name, kernel.arguments, arguments), target);
        package.origin.kernel = kernel.name;
        return package;
    } catch (const builder::CallError& error) {
        throw builder::Error(error.reason);  // its line is one of trnsim's own sources
    }
}

bool is_built_in(const neff::Package& package) {
    return package.origin.builder == TRNSIM_VERSION &&
           std::ranges::find(kernels(), package.origin.kernel, &Kernel::name) != kernels().end();
}

}  // namespace trnsim::kernels
