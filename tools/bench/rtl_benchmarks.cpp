#include "tools/bench/rtl_benchmarks.hpp"

#include <cstring>
#include <random>
#include <stdexcept>
#include <string>

#include "arch/target/target.hpp"
#include "base/jobs/isolated.hpp"
#include "base/time/time.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/registry.hpp"
#include "runtime/session/runner.hpp"
#include "tools/bench/openblas.hpp"

namespace trnsim::bench {
namespace {

constexpr int Size = 1024, MatmulTrials = 8;

std::vector<float> random_matrix(std::uint64_t seed, std::size_t elements = std::size_t{Size} * Size) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(elements);
    for (float& value : values) value = normal(random);
    return values;
}

npy::Array as_array(const std::vector<float>& values, std::uint64_t rows = Size,
                    std::uint64_t columns = Size) {
    npy::Array array{npy::Type::F4, {rows, columns}, {}};
    array.data.resize(values.size() * sizeof(float));
    std::memcpy(array.data.data(), values.data(), array.data.size());
    return array;
}

runtime::Figures run(const neff::Package& package, const config::Config& config,
                     const runtime::Arrays& inputs, const Environment& environment,
                     runtime::Fidelity fidelity = runtime::Fidelity::Rtl) {
    runtime::Observer observer(package, nullptr);
    const auto machine = environment.machine(config, {.sink = &observer, .fidelity = fidelity});
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
        "matmul", {{"M", size}, {"K", size}, {"N", size}, {"dtype", "bf16"}}, target::of(config));
    return run(package, config, {{"a", as_array(a)}, {"b", as_array(b)}}, environment);
}

// Returns a kernel with one small load after the other: it spends nearly all of its time in the DMA engines'
// start latency.
neff::Package waiting_kernel(const target::Core& target) {
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
    return {run_matmul(a, b, environment).mmacs_per_second(), sgemm_rate(Size, MatmulTrials)};
}

Figure measure_rtl_utilisation(const Environment& environment) {
    const std::vector<float> a = random_matrix(1), b = random_matrix(2);
    return {100 * run_matmul(a, b, environment).tensor_utilisation(), 100};
}

Figure measure_published(const Environment& environment) {
    constexpr std::uint64_t Rows = 4096, Depth = 8192, Columns = 8192;
    constexpr double PublishedMs = 6.97, PublishedUtilisation = 85.24;  // docs/timing.md
    const config::Config config = config::load("trn1");
    const neff::Package package = kernels::build_kernel("matmul",
                                                        {{"M", std::to_string(Rows)},
                                                         {"K", std::to_string(Depth)},
                                                         {"N", std::to_string(Columns)},
                                                         {"dtype", "bf16"}},
                                                        target::of(config));
    // The values of a are the first of b: the schedule does not depend on them.
    std::vector<float> values = random_matrix(1, Depth * Columns);
    const npy::Array b = as_array(values, Depth, Columns);
    values.resize(Rows * Depth);
    const runtime::Figures figures = run(package, config, {{"a", as_array(values, Depth, Rows)}, {"b", b}},
                                         environment, runtime::Fidelity::Fast);
    return {.value = 1e3 * static_cast<double>(figures.time) / static_cast<double>(FsPerSecond),
            .reference = PublishedMs,
            .parts = {{"utilisation, first to last matmul", 100 * figures.tensor_utilisation(), "%"},
                      {"published utilisation", PublishedUtilisation, "%"},
                      {"wall time", figures.wall_seconds, "s"},
                      {"multiply-accumulates of wall time", figures.mmacs_per_second(), "M/s"}}};
}

Figure measure_idle(const Environment& environment) {
    // A process has one chip, so another process measures the reference.
    const double busy = std::stod(jobs::run_isolated([&] {
        const runtime::Figures figures = run_matmul(random_matrix(1), random_matrix(2), environment);
        return std::to_string(1e-6 * static_cast<double>(figures.cycles) / figures.wall_seconds);
    }));
    const config::Config config = config::load("trn1");
    const runtime::Figures figures = run(waiting_kernel(target::of(config)), config, {}, environment);
    return {1e-6 * static_cast<double>(figures.cycles) / figures.wall_seconds, busy};
}

}  // namespace trnsim::bench
