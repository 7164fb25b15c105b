#include "tools/cli/gpsimd_benchmarks.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "lib/builder/kernel_builder.hpp"
#include "lib/builder/target.hpp"
#include "lib/runtime/runner.hpp"
#include "tools/cli/isolated.hpp"

namespace trnsim::cli {
namespace {

constexpr std::uint32_t Columns = 2048;
constexpr int Passes = 16;
constexpr std::uint32_t Core = 16;  // partitions of one

// Millions a second.
struct Rates {
    double instructions = 0, cycles = 0;
};

neff::Package additions(const neff::Target& target, std::uint32_t partitions) {
    builder::KernelBuilder kernel("additions", "", target);
    const auto tensor = [&](const char* name, neff::TensorKind kind) {
        return kernel.tensor(name, kind, isa::Dtype::Fp32, {partitions, Columns});
    };
    const auto tile = [&] { return kernel.sbuf(partitions, isa::Dtype::Fp32, {Columns}); };
    const builder::Tile x = tile(), sum = tile();
    kernel.load(kernel.queue("qSyncLoad"), x, tensor("x", neff::TensorKind::Input));
    kernel.memset(sum, 0.0f);
    for (int pass = 0; pass < Passes; ++pass)
        kernel.tensor_tensor(sum, sum, {isa::AluOp::Add}, x, {.engine = isa::Engine::Gpsimd});
    kernel.store(kernel.queue("qSyncStore"), tensor("sum", neff::TensorKind::Output), sum);
    return kernel.finish();
}

Rates measure(const Environment& environment, std::uint32_t partitions) {
    const config::Config config = config::load("trn1");
    const neff::Package package = additions(builder::target_of(config), partitions);
    std::vector<float> x(std::size_t{partitions} * Columns);
    std::iota(x.begin(), x.end(), -1000.0f);  // sums of these are exact
    npy::Array input{npy::Type::F4, {partitions, Columns}, {}};
    input.data.resize(x.size() * sizeof(float));
    std::memcpy(input.data.data(), x.data(), input.data.size());

    runtime::Observer observer(package, nullptr);
    const auto machine = environment.machine(config, {.sink = &observer});
    const runtime::Result result =
        runtime::execute(*machine, package, runtime::prepare(package, config, {{"x", input}}), observer);
    if (!result.done()) throw std::runtime_error(result.message);
    std::vector<float> sum(x.size());
    std::memcpy(sum.data(), result.outputs.at("sum").data.data(), sum.size() * sizeof(float));
    for (std::size_t i = 0; i < x.size(); ++i)
        if (sum[i] != Passes * x[i])
            throw std::runtime_error("the cores computed something else than the host");

    std::uint64_t instructions = 0, cycles = 0;
    for (const tlm::GpsimdCoreCounters& core : result.figures.gpsimd) {
        instructions += core.instructions();
        cycles += core.cycles;
    }
    const auto rate = [&](std::uint64_t count) {
        return 1e-6 * static_cast<double>(count) / result.figures.wall_seconds;
    };
    return {rate(instructions), rate(cycles)};
}

// A process has one chip, so one of the two is measured in another.
Rates measure_one(const Environment& environment) {
    std::istringstream text(run_isolated([&] {
        const Rates rates = measure(environment, Core);
        return fmt::format("{} {}", rates.instructions, rates.cycles);
    }));
    Rates rates;
    text >> rates.instructions >> rates.cycles;
    return rates;
}

}  // namespace

Figure measure_rtl_gpsimd(const Environment& environment) {
    const Rates one = measure_one(environment);
    return {measure(environment, 8 * Core).instructions, one.instructions};
}

Figure measure_rtl_gpsimd_cycles(const Environment& environment) {
    const Rates one = measure_one(environment);
    return {measure(environment, 8 * Core).cycles, one.cycles};
}

}  // namespace trnsim::cli
