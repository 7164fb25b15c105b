#include "tools/bench/elementwise_benchmarks.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "arch/target/target.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "runtime/session/runner.hpp"

namespace trnsim::bench {
namespace {

constexpr std::uint32_t Lanes = 128, LaneColumns = 8192;
constexpr std::size_t LaneElements = std::size_t{Lanes} * LaneColumns;
constexpr int LanePasses = 16;  // over the same data, so that loading and storing it weigh little
constexpr int LaneTrials = 5;

std::vector<float> random_values(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(LaneElements);
    for (float& value : values) value = normal(random);
    return values;
}

npy::Array fp32_array(const std::vector<float>& values) {
    npy::Array array{npy::Type::F4, {Lanes, LaneColumns}, {}};
    array.data.resize(values.size() * sizeof(float));
    std::memcpy(array.data.data(), values.data(), array.data.size());
    return array;
}

// Returns million elements a second, the best of several passes.
template <typename Operation>
double host_rate(std::vector<float>& results, Operation operation) {
    using Clock = std::chrono::steady_clock;
    float* const y = results.data();
    double best = 0;
    for (int trial = 0; trial < LaneTrials; ++trial) {
        const auto begin = Clock::now();
        for (std::size_t i = 0; i < LaneElements; ++i) {
            y[i] = operation(i);
            std::atomic_signal_fence(std::memory_order_seq_cst);  // no vectorisation across this
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        best = std::max(best, 1e-6 * static_cast<double>(LaneElements) / seconds);
    }
    return best;
}

using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;

// Builds a kernel; `pass` appends one instruction over the loaded tiles.
template <typename Pass>
neff::Package kernel(const std::vector<const char*>& inputs, const target::Core& target, Pass pass) {
    KernelBuilder builder("elementwise", "", target);
    std::vector<Tile> tiles;
    for (const char* name : inputs) {
        const TensorView view =
            builder.tensor(name, neff::TensorKind::Input, isa::Dtype::Fp32, {Lanes, LaneColumns});
        tiles.push_back(builder.sbuf(Lanes, isa::Dtype::Fp32, {LaneColumns}));
        builder.load(builder.queue(std::string("qSyncLoad_") + name), tiles.back(), view);
    }
    const TensorView view =
        builder.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {Lanes, LaneColumns});
    const Tile result = builder.sbuf(Lanes, isa::Dtype::Fp32, {LaneColumns});
    for (int i = 0; i < LanePasses; ++i) pass(builder, result, tiles);
    builder.store(builder.queue("qSyncStore"), view, result);
    return builder.finish();
}

// Returns million elements a second through the whole system; the results of the core must agree with `y`.
double core_rate(const neff::Package& package, const config::Config& config, const runtime::Arrays& inputs,
                 const std::vector<float>& y, double tolerance, const Environment& environment) {
    runtime::Observer observer(package, nullptr);
    const auto machine = environment.machine(config, {.sink = &observer});
    const runtime::Result result =
        runtime::execute(*machine, package, runtime::prepare(package, config, inputs), observer);
    if (!result.done()) throw std::runtime_error(result.message);
    std::vector<float> found(LaneElements);
    std::memcpy(found.data(), result.outputs.at("y").data.data(), LaneElements * sizeof(float));
    for (std::size_t i = 0; i < LaneElements; ++i) {
        if (std::abs(found[i] - y[i]) > tolerance * std::abs(y[i]))
            throw std::runtime_error("the core computed something else than the host");
    }
    return 1e-6 * LanePasses * static_cast<double>(LaneElements) / result.figures.wall_seconds;
}

}  // namespace

Figure measure_rtl_vector(const Environment& environment) {
    const config::Config config = config::load("trn1");
    const std::vector<float> a = random_values(1), b = random_values(2);
    std::vector<float> y(LaneElements);
    const double reference =
        host_rate(y, [p = a.data(), q = b.data()](std::size_t i) { return p[i] + q[i]; });
    const neff::Package package =
        kernel({"a", "b"}, target::of(config),
               [](KernelBuilder& builder, const Tile& dst, const std::vector<Tile>& from) {
                   builder.tensor_tensor(dst, from[0], {isa::AluOp::Add}, from[1]);
               });
    return {core_rate(package, config, {{"a", fp32_array(a)}, {"b", fp32_array(b)}}, y, 0, environment),
            reference};
}

Figure measure_rtl_scalar(const Environment& environment) {
    constexpr double Tolerance = 1e-6;  // the tables allow 4 ulp
    const config::Config config = config::load("trn1");
    const std::vector<float> a = random_values(1);
    std::vector<float> y(LaneElements);
    const double reference = host_rate(y, [p = a.data()](std::size_t i) { return std::exp(p[i]); });
    const neff::Package package =
        kernel({"a"}, target::of(config),
               [](KernelBuilder& builder, const Tile& dst, const std::vector<Tile>& from) {
                   builder.activation(dst, from[0], isa::Activation::Exp);
               });
    return {core_rate(package, config, {{"a", fp32_array(a)}}, y, Tolerance, environment), reference};
}

}  // namespace trnsim::bench
