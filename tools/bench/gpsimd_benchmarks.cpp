#include "tools/bench/gpsimd_benchmarks.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "arch/firmware/image.hpp"
#include "arch/target/target.hpp"
#include "base/jobs/isolated.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "firmware/include/trnsim/mailbox.hpp"
#include "firmware/include/trnsim/microcode.hpp"
#include "model/rv32/hart.hpp"
#include "runtime/session/runner.hpp"

namespace trnsim::bench {
namespace {

constexpr std::uint32_t GpsimdColumns = 2048;
constexpr int GpsimdPasses = 16;
constexpr std::uint32_t Core = 16;  // partitions of one

// Rates in millions a second.
struct Rates {
    double instructions = 0, cycles = 0;
};

neff::Package additions(const target::Core& target, std::uint32_t partitions) {
    builder::KernelBuilder kernel("additions", "", target);
    const auto tensor = [&](const char* name, neff::TensorKind kind) {
        return kernel.tensor(name, kind, isa::Dtype::Fp32, {partitions, GpsimdColumns});
    };
    const auto tile = [&] { return kernel.sbuf(partitions, isa::Dtype::Fp32, {GpsimdColumns}); };
    const builder::Tile x = tile(), sum = tile();
    kernel.load(kernel.queue("qSyncLoad"), x, tensor("x", neff::TensorKind::Input));
    kernel.memset(sum, 0.0f);
    for (int pass = 0; pass < GpsimdPasses; ++pass)
        kernel.tensor_tensor(sum, sum, {isa::AluOp::Add}, x, {.engine = isa::Engine::Gpsimd});
    kernel.store(kernel.queue("qSyncStore"), tensor("sum", neff::TensorKind::Output), sum);
    return kernel.finish();
}

Rates measure(const Environment& environment, std::uint32_t partitions,
              runtime::Fidelity fidelity = runtime::Fidelity::Rtl) {
    const config::Config config = config::load("trn1");
    const neff::Package package = additions(target::of(config), partitions);
    std::vector<float> x(std::size_t{partitions} * GpsimdColumns);
    std::iota(x.begin(), x.end(), -1000.0f);  // sums of these are exact
    npy::Array input{npy::Type::F4, {partitions, GpsimdColumns}, {}};
    input.data.resize(x.size() * sizeof(float));
    std::memcpy(input.data.data(), x.data(), input.data.size());

    runtime::Observer observer(package, nullptr);
    const auto machine = environment.machine(config, {.sink = &observer, .fidelity = fidelity});
    const runtime::Result result =
        runtime::execute(*machine, package, runtime::prepare(package, config, {{"x", input}}), observer);
    if (!result.done()) throw std::runtime_error(result.message);
    std::vector<float> sum(x.size());
    std::memcpy(sum.data(), result.outputs.at("sum").data.data(), sum.size() * sizeof(float));
    for (std::size_t i = 0; i < x.size(); ++i)
        if (sum[i] != GpsimdPasses * x[i])
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

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::span<const std::uint8_t> bytes_of(const auto& value) {
    return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
}

// Measures the same additions of one core on the instruction-set simulator, in millions of instructions a
// second.
double simulated_additions() {
    const target::Core target = target::of(config::load("trn1"));
    const neff::Package package = additions(target, Core);
    const firmware::Image image = firmware::parse(package.images.at(0).bytes, "microcode");
    const auto partition_bytes = static_cast<std::uint32_t>(target.sbuf_partition);
    std::vector<std::uint8_t> sbuf(std::size_t{Core} * partition_bytes);
    constexpr std::uint32_t SumAt = GpsimdColumns * sizeof(float);
    const auto element = [&](std::uint32_t partition, std::uint32_t byte) {
        return reinterpret_cast<float*>(&sbuf[std::size_t{partition} * partition_bytes + byte]);
    };
    for (std::uint32_t partition = 0; partition < Core; ++partition)
        std::iota(element(partition, 0), element(partition, SumAt), -1000.0f);

    rv32::Hart hart({.vlen = image.vlen});
    hart.attach({.data = sbuf.data(), .partition_bytes = partition_bytes, .partitions = Core});
    for (const firmware::Segment& segment : image.segments) hart.write_tcm(segment.address, segment.bytes);
    hart.start(image.entry);
    hart.run(~std::uint64_t{0});

    const firmware::Tensor x{0, firmware::Dtype::Fp32, {1}}, sum{SumAt, firmware::Dtype::Fp32, {1}};
    const firmware::TensorTensorArguments arguments{.shape = {0, Core, {GpsimdColumns, 1, 1, 1}},
                                                    .dst = sum,
                                                    .a = sum,
                                                    .b = x,
                                                    .op = firmware::AluOp::Add};
    firmware::Mailbox mailbox{};
    mailbox.command = static_cast<std::uint32_t>(firmware::Command::TensorTensor);
    mailbox.partition_bytes = partition_bytes;
    mailbox.partitions = Core;
    std::memcpy(mailbox.arguments, &arguments, sizeof arguments);
    const std::uint64_t before = hart.retired();
    const auto start = std::chrono::steady_clock::now();
    constexpr std::uint32_t Commands = 20 * GpsimdPasses;
    for (std::uint32_t request = 1; request <= Commands; ++request) {
        mailbox.request = request;
        mailbox.completed = request - 1;
        hart.write_tcm(TRNSIM_MAILBOX_BASE, bytes_of(mailbox));
        hart.interrupt(true);
        hart.run(1);
        hart.interrupt(false);
        hart.run(~std::uint64_t{0});
    }
    const double seconds = seconds_since(start);
    for (std::uint32_t i = 0; i < GpsimdColumns; ++i)
        if (element(Core - 1, SumAt)[i] != Commands * element(0, 0)[i])
            throw std::runtime_error("the simulated core computed something else than the host");
    return 1e-6 * static_cast<double>(hart.retired() - before) / seconds;
}

// Measures a loop of loads, multiplications, additions and stores on the simulator. The reference is the same
// loop as C++ on the host, as instructions of the simulator in the time that the host takes.
Figure scalar_sums() {
    constexpr std::uint32_t Words = 1024, Rounds = 4000, InstructionsAWord = 7;
    constexpr std::array<std::uint32_t, 12> Code{
        0x800080b7,  // lui x1, 0x80008: address of the words
        0x000012b7,  // lui x5, 1
        0x005082b3,  // add x5, x1, x5: end of the words
        0x0000a103,  // lw x2, 0(x1)
        0x02310133,  // mul x2, x2, x3
        0x00218193,  // addi x3, x3, 2
        0x00410133,  // add x2, x2, x4
        0x0020a023,  // sw x2, 0(x1)
        0x00408093,  // addi x1, x1, 4
        0xfe5094e3,  // bne x1, x5, -24
        0xfd9ff06f,  // jal x0, -40
        0x10500073,  // wfi
    };
    rv32::Hart hart;
    hart.write_tcm(TRNSIM_TCM_BASE, bytes_of(Code));
    hart.start(TRNSIM_TCM_BASE);
    auto start = std::chrono::steady_clock::now();
    hart.run(std::uint64_t{Words} * Rounds * InstructionsAWord);
    Figure figure;
    figure.value = 1e-6 * static_cast<double>(hart.retired()) / seconds_since(start);

    std::array<std::uint32_t, Words> words{};
    std::uint32_t factor = hart.x(3) & 1;
    start = std::chrono::steady_clock::now();
    for (std::uint32_t round = 0; round < Rounds; ++round) {
        for (std::uint32_t& word : words) {
            word = word * factor + round;
            factor += 2;
        }
    }
    const double seconds = seconds_since(start);
    if (std::accumulate(words.begin(), words.end(), 0U) == 1)
        throw std::runtime_error("the host computed nothing");
    figure.reference =
        1e-6 * static_cast<double>(std::uint64_t{Words} * Rounds * InstructionsAWord) / seconds;
    return figure;
}

// A process has one chip, so another process measures one of the two.
Rates measure_elsewhere(const Environment& environment, std::uint32_t partitions) {
    std::istringstream text(jobs::run_isolated([&] {
        const Rates rates = measure(environment, partitions);
        return fmt::format("{} {}", rates.instructions, rates.cycles);
    }));
    Rates rates;
    text >> rates.instructions >> rates.cycles;
    return rates;
}

}  // namespace

Figure measure_gpsimd_iss(const Environment& environment) {
    return {simulated_additions(), measure_elsewhere(environment, Core).instructions};
}

Figure measure_gpsimd_iss_scalar(const Environment&) {
    return scalar_sums();
}

Figure measure_fast_gpsimd(const Environment& environment) {
    const Rates rtl = measure_elsewhere(environment, 8 * Core);
    return {measure(environment, 8 * Core, runtime::Fidelity::Fast).instructions,
            rtl.instructions,
            {{"the same without time, of one core", simulated_additions(), "million instructions/s"},
             {"scalar code without time, of one core", scalar_sums().value, "million instructions/s"}}};
}

Figure measure_rtl_gpsimd(const Environment& environment) {
    const Rates one = measure_elsewhere(environment, Core);
    return {measure(environment, 8 * Core).instructions, one.instructions};
}

Figure measure_rtl_gpsimd_cycles(const Environment& environment) {
    const Rates one = measure_elsewhere(environment, Core);
    return {measure(environment, 8 * Core).cycles, one.cycles};
}

}  // namespace trnsim::bench
