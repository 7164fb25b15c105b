#include "tools/cli/rtl_benchmarks.hpp"

#include <cstring>
#include <random>
#include <stdexcept>
#include <string>

#include "lib/builder/kernel_builder.hpp"
#include "lib/builder/target.hpp"
#include "lib/kernels/registry.hpp"
#include "lib/runtime/runner.hpp"
#include "tools/cli/isolated.hpp"
#include "tools/cli/openblas.hpp"

namespace trnsim::cli {
namespace {

constexpr int Size = 1024, Trials = 8;

std::vector<float> random_matrix(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(std::size_t{Size} * Size);
    for (float& value : values) value = normal(random);
    return values;
}

npy::Array as_array(const std::vector<float>& values) {
    npy::Array array{npy::Type::F4, {Size, Size}, {}};
    array.data.resize(values.size() * sizeof(float));
    std::memcpy(array.data.data(), values.data(), array.data.size());
    return array;
}

runtime::Figures run(const neff::Package& package, const config::Config& config,
                     const runtime::Arrays& inputs, const Environment& environment) {
    runtime::Observer observer(package, nullptr);
    const auto machine = environment.machine(config, {.sink = &observer});
    const runtime::Result result =
        runtime::execute(*machine, package, runtime::prepare(package, config, inputs), observer);
    if (!result.done()) throw std::runtime_error(result.message);
    return result.figures;
}

runtime::Figures run_matmul(const std::vector<float>& a, const std::vector<float>& b,
                            const Environment& environment) {
    const config::Config config = config::load("trn1");
    const std::string size = std::to_string(Size);
    const neff::Package package = kernels::build_kernel(
        "matmul", {{"M", size}, {"K", size}, {"N", size}, {"dtype", "bf16"}}, builder::target_of(config));
    return run(package, config, {{"a", as_array(a)}, {"b", as_array(b)}}, environment);
}

// One small load after the other: nearly all of the time is the DMA engines' start latency.
neff::Package waiting_kernel(const neff::Target& target) {
    constexpr int Loads = 2000;
    builder::KernelBuilder kernel("waiting", "", target);
    const auto from = kernel.tensor("x", neff::TensorKind::Scratch, isa::Dtype::Fp32, {1, 16});
    const builder::Tile tile = kernel.sbuf(1, isa::Dtype::Fp32, {16});
    const builder::Queue queue = kernel.queue("qSyncLoad");
    for (int i = 0; i < Loads; ++i) kernel.load(queue, tile, from);
    return kernel.finish();
}

}  // namespace

Figure measure_rtl_matmul(const Environment& environment) {
    const std::vector<float> a = random_matrix(1), b = random_matrix(2);
    return {run_matmul(a, b, environment).mmacs_per_second(), sgemm_rate(Size, Trials)};
}

Figure measure_rtl_utilisation(const Environment& environment) {
    const std::vector<float> a = random_matrix(1), b = random_matrix(2);
    return {100 * run_matmul(a, b, environment).tensor_utilisation(), 100};
}

Figure measure_idle(const Environment& environment) {
    // A process has one chip, so the reference is measured in another.
    const double busy = std::stod(run_isolated([&] {
        const runtime::Figures figures = run_matmul(random_matrix(1), random_matrix(2), environment);
        return std::to_string(1e-6 * static_cast<double>(figures.cycles) / figures.wall_seconds);
    }));
    const config::Config config = config::load("trn1");
    const runtime::Figures figures = run(waiting_kernel(builder::target_of(config)), config, {}, environment);
    return {1e-6 * static_cast<double>(figures.cycles) / figures.wall_seconds, busy};
}

}  // namespace trnsim::cli
