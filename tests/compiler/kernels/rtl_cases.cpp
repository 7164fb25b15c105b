#include "compiler/kernels/rtl_cases.hpp"

#include <fmt/format.h>

#include <sstream>

#include "arch/target/target.hpp"
#include "compiler/kernels/registry.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim::test {

std::ostream& operator<<(std::ostream& out, const KernelRow& row) {
    return out << row.kernel;
}

const std::vector<KernelRow>& kernel_rows() {
    static const std::vector<KernelRow> all{
        {"matmul", "M=1..70 K=1..90 N=1..300 dtype=bf16|fp32 ta=1|0 tb=0|1", 8, "M=130 K=70 N=600", ""},
        {"mlp",
         "batch=1..600 inputs=1..40 hidden=1..40 outputs=1..20 "
         "dtype=bf16|fp16|tf32|fp32|fp8_e4m3|fp8_e5m2|fp8_e3m4",
         14, "batch=600 inputs=200 hidden=150 outputs=10", "batch=70 inputs=20 hidden=30 outputs=10"},
        {"cast",
         "rows=1..60 cols=1..300 "
         "dtype=fp32|tf32|bf16|fp16|fp8_e4m3|fp8_e5m2|fp8_e3m4|u8|i8|u16|i16|u32|i32",
         26, "rows=300 cols=777", "rows=37 cols=45 dtype=fp8_e4m3"},
        {"softmax", "rows=1..50 cols=1..300 dtype=bf16|fp32|fp16|tf32|fp8_e5m2", 10, "rows=300 cols=777",
         "rows=37 cols=45"},
        {"layernorm", "rows=1..50 cols=1..300 dtype=bf16|fp32|fp16", 9, "rows=300 cols=777",
         "rows=37 cols=45"},
        {"layernorm_backward", "rows=1|37|20|1..50 cols=1..200 dtype=fp32|bf16", 16, "rows=300 cols=777",
         "rows=37 cols=45"},
        {"rmsnorm", "rows=1..50 cols=1..300 dtype=bf16|fp32|fp16", 9, "rows=300 cols=777", "rows=37 cols=45"},
        {"gelu", "rows=1..50 cols=1..300 dtype=bf16|fp32|fp16|fp8_e3m4", 8, "rows=300 cols=777",
         "rows=37 cols=45"},
        {"gelu_backward", "rows=1..50 cols=1..300 dtype=bf16|fp32|fp16", 6, "rows=300 cols=777",
         "rows=37 cols=45"},
        {"attention", "seq=1..70 dim=1..40 causal=0|1 dtype=bf16|fp32|fp16|fp8_e4m3", 24,
         "seq=300 dim=65 causal=1", "seq=37 dim=21 causal=1"},
        {"adamw", "n=1..3000 dtype=bf16|fp32 step=1..9", 8, "n=70001", "n=1000"},
        {"transformer_block", "seq=1..40 width=8|20 heads=1|2 causal=0|1 dtype=bf16|fp32", 16,
         "seq=150 width=96 heads=3 causal=1", "seq=21 width=12 heads=2"},
        {"reduce", "rows=1..60 cols=1..300 op=add|max|min|multiply axis=0|1", 16, "rows=300 cols=777 axis=0",
         ""},
        {"transpose", "rows=1..4|1..200 cols=1..200 dtype=fp32|bf16|fp8_e4m3", 12, "rows=300 cols=777", ""},
        {"cross_entropy", "rows=1..60 classes=1|10|1..300|3000", 8, "rows=300 classes=777", ""},
        {"embedding", "rows=1..60 vocabulary=1..200 dim=1..300|1..9 dtype=bf16|fp32|u8|i16", 8,
         "rows=300 vocabulary=1000 dim=777", ""},
        {"all_gather_matmul", "M=6|12|1..30 K=1..40 N=1..40 pieces=1 dtype=bf16|fp32", 6,
         "M=150 K=200 N=130 pieces=3", ""},
    };
    return all;
}

KernelArguments choose(const std::string& text, std::uint64_t index, std::mt19937_64& random) {
    KernelArguments chosen;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        std::vector<std::string> choices;
        std::istringstream list(word.substr(equals + 1));
        for (std::string choice; std::getline(list, choice, '|');) choices.push_back(choice);
        std::string choice = choices[index % choices.size()];
        index /= choices.size();
        if (const std::size_t dots = choice.find(".."); dots != std::string::npos) {
            const std::uint64_t least = std::stoull(choice), most = std::stoull(choice.substr(dots + 2));
            choice = std::to_string(least + random() % (most - least + 1));
        }
        chosen[word.substr(0, equals)] = choice;
    }
    return chosen;
}

KernelCase::KernelCase(const std::string& kernel, const config::Config& on, const KernelArguments& arguments,
                       std::mt19937_64& random)
    : config(on), package(kernels::build_kernel(kernel, arguments, target::of(config))) {
    for (const neff::Tensor& tensor : package.tensors) {
        if (neff::is_input(tensor.kind))
            contents.emplace(tensor.name, pack(values(tensor, random), tensor.dtype));
    }
}

std::string KernelCase::name() const {
    return fmt::format("{} {} on {}", package.name, package.arguments, config.name);
}

runtime::Arrays KernelCase::arrays() const {
    runtime::Arrays all;
    for (const neff::Tensor& tensor : package.tensors) {
        if (neff::is_input(tensor.kind))
            all.emplace(tensor.name, loader::from_device(tensor, contents.at(tensor.name)));
    }
    return all;
}

Bytes KernelCase::on_rtl(const runtime::Rounding& rounding, tlm::perturb::Seed perturb) const {
    return run_on_rtl(package, config, arrays(), rounding, perturb);
}

Bytes KernelCase::interpreted(const runtime::Rounding& rounding, std::uint64_t order) const {
    functional::Interpreter machine(package,
                                    functional::in_order(order, {rounding.stochastic, rounding.seed}));
    for (const auto& [name, bytes] : contents) machine.set(name, bytes);
    machine.run();
    Bytes outputs;
    for (const neff::Tensor& tensor : package.tensors) {
        if (!neff::is_output(tensor.kind)) continue;
        const Bytes& bytes = machine.get(tensor.name);
        outputs.insert(outputs.end(), bytes.begin(), bytes.end());
    }
    return outputs;
}

// Integers are labels, that is columns of the first tensor. adamw takes a root of some tensors, so these are
// not negative.
Bits KernelCase::values(const neff::Tensor& tensor, std::mt19937_64& random) const {
    std::size_t count = 1;
    for (const std::uint64_t extent : tensor.shape) count *= extent;
    if (!numerics::is_float(tensor.dtype)) {
        Bits labels(count);
        for (std::uint32_t& label : labels)
            label = static_cast<std::uint32_t>(random() % package.tensors[0].shape.back());
        return labels;
    }
    Bits bits = random_tensor(random, count, tensor.dtype);
    if (package.name == "adamw" && tensor.name == "v") {
        for (std::uint32_t& element : bits) element &= 0x7fffffff;
    }
    return bits;
}

}  // namespace trnsim::test
