#include "testbench/parity/subjects.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arch/target/target.hpp"
#include "compiler/kernels/registry.hpp"
#include "runtime/loader/tensor_io.hpp"
#include "testbench/random_programs/batch.hpp"
#include "testbench/trial/inputs.hpp"

namespace trnsim::parity {

Subject subject_of(std::string name, const config::Config& config, neff::Package package,
                   std::uint64_t seed) {
    Subject subject{std::move(name), config, std::move(package), {}, {}};
    for (const neff::Tensor& tensor : subject.package.tensors) {
        if (!neff::is_input(tensor.kind)) continue;
        subject.inputs.emplace(
            tensor.name, loader::from_device(tensor, trial::random_input(subject.package, tensor, seed)));
    }
    return subject;
}

Subject kernel(const config::Config& config, const std::string& name,
               const std::map<std::string, std::string>& arguments, std::uint64_t seed) {
    neff::Package package = kernels::build_kernel(name, arguments, target::of(config));
    std::string text = fmt::format("{} {}", package.name, package.arguments);
    return subject_of(std::move(text), config, std::move(package), seed);
}

Subject kernel_of_text(const config::Config& config, const std::string& text, std::uint64_t seed) {
    std::istringstream words(text);
    std::string name;
    words >> name;
    std::map<std::string, std::string> arguments;
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos)
            throw std::runtime_error(fmt::format("{}: '{}', expected NAME=VALUE", text, word));
        arguments[word.substr(0, equals)] = word.substr(equals + 1);
    }
    return kernel(config, name, arguments, seed);
}

std::span<const char* const> small_kernels() {
    static constexpr std::array Kernels{"matmul M=33 K=40 N=100 dtype=bf16",
                                        "matmul M=20 K=17 N=70 dtype=fp32",
                                        "mlp batch=70 inputs=20 hidden=30 outputs=10",
                                        "cast rows=37 cols=45 dtype=fp8_e4m3",
                                        "softmax rows=37 cols=45",
                                        "layernorm rows=37 cols=45",
                                        "layernorm_backward rows=37 cols=45",
                                        "rmsnorm rows=37 cols=45",
                                        "gelu rows=37 cols=45",
                                        "gelu_backward rows=37 cols=45",
                                        "attention seq=37 dim=21 causal=1",
                                        "adamw n=1000",
                                        "transformer_block seq=21 width=12 heads=2",
                                        "reduce rows=37 cols=45 op=add axis=0",
                                        "transpose rows=40 cols=60",
                                        "cross_entropy rows=20 classes=50"};
    return Kernels;
}

namespace {

std::vector<std::uint64_t> numbers_of(std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint64_t> numbers(last - first + 1);
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
}

}  // namespace

Subject programs(const config::Config& config, std::uint64_t seed, std::uint64_t first, std::uint64_t last) {
    const random_programs::Batch batch(target::of(config), seed, numbers_of(first, last));
    std::mt19937_64 random(seed + first);
    const auto bits = random();
    Subject subject{fmt::format("programs {} to {} of seed {}", first, last, seed),
                    config,
                    batch.package(),
                    {},
                    {bits % 2 != 0, static_cast<std::uint32_t>(bits >> 32)}};
    subject.inputs.emplace("before", loader::from_device(subject.package.tensors.front(), batch.contents()));
    return subject;
}

}  // namespace trnsim::parity
