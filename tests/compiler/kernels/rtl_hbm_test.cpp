// Runs kernels on the verilated core with each model of HBM: the bits are equal, the cycles differ. Prints
// the simulated times of docs/hbm.md.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "arch/target/target.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "model/estimates/tables.hpp"
#include "rtl_cases.hpp"
#include "runtime/session/statistics.hpp"

namespace trnsim::test {
namespace {

config::Config on_banks(const std::string& preset) {
    config::Config config = config::load("small16");
    config.hbm.model = "banked";
    config.hbm.banked.preset = preset;
    return config;
}

// Reads 64 bytes of every 256 KiB of a matrix: in the interleaved mapping all of them are in different rows
// of the same bank.
constexpr std::uint32_t Reads = 8, ReadColumns = 16, BankColumns = 65536, RowColumns = Reads * BankColumns;

neff::Package strided_gather(const config::Config& config) {
    using neff::TensorKind;
    const target::Chip target = target::of(config);
    const auto rows = static_cast<std::uint32_t>(target.partitions);
    builder::KernelBuilder k("strided_gather", "", target);
    const auto x = k.tensor("x", TensorKind::Input, isa::Dtype::Fp32, {rows, RowColumns});
    const auto y = k.tensor("y", TensorKind::Output, isa::Dtype::Fp32, {rows, Reads * ReadColumns});
    const auto loads = k.queue("loads"), stores = k.queue("stores", isa::Engine::Scalar);
    const builder::Tile tile = k.sbuf(rows, isa::Dtype::Fp32, {Reads, ReadColumns});
    for (std::uint32_t i = 0; i < Reads; ++i)
        k.load(loads, tile.at(0, i), x.slice(1, i * BankColumns, ReadColumns));
    for (std::uint32_t i = 0; i < Reads; ++i)
        k.store(stores, y.slice(1, i * ReadColumns, ReadColumns), tile.at(0, i));
    return k.finish();
}

struct Run {
    Bytes output;
    nlohmann::json statistics;
};

Run run(const neff::Package& package, const config::Config& config, const runtime::Arrays& inputs) {
    const std::string text = jobs::run_isolated([&] {
        runtime::Observer observer(package, nullptr);
        runtime::ChipMachine machine(config, {.sink = &observer, .check_protocol = true});
        const runtime::Result result =
            runtime::execute(machine, package, runtime::prepare(package, config, inputs), observer);
        if (!result.done()) throw std::runtime_error(result.message);
        for (const std::string& violation : machine.protocol_violations())
            throw std::runtime_error(violation);
        const nlohmann::json json{{"output", result.outputs.begin()->second.data},
                                  {"statistics", nlohmann::json::parse(to_json(result, package, config,
                                                                               estimates::load_tables()))}};
        return json.dump();
    });
    const nlohmann::json json = nlohmann::json::parse(text);
    return {json["output"].get<Bytes>(), json["statistics"]};
}

// Runs a kernel on every model and prints its time.
std::map<std::string, Run> run_on_all(const neff::Package& package, const runtime::Arrays& inputs) {
    std::map<std::string, config::Config> configs{{"simple", config::load("small16")},
                                                  {"A", on_banks("A")},
                                                  {"B", on_banks("B")},
                                                  {"A hashed", on_banks("A")}};
    configs["A hashed"].hbm.banked.mapping = "hashed";
    std::map<std::string, Run> runs;
    for (const auto& [name, config] : configs) {
        runs[name] = run(package, config, inputs);
        fmt::print("{}, {}: {:.0f} ns\n", package.name, name,
                   runs[name].statistics["simulated_seconds"].get<double>() * 1e9);
    }
    return runs;
}

void expect_equal_outputs(const std::map<std::string, Run>& runs) {
    for (const auto& [name, run] : runs) {
        SCOPED_TRACE(name);
        expect_same(run.output, runs.at("simple").output);
    }
}

TEST(RtlHbm, MatmulHasTheSameBitsOnBanks) {
    auto random = generator();
    const KernelCase subject("matmul", config::load("small16"), {{"M", "48"}, {"K", "64"}, {"N", "256"}},
                             random);
    const auto runs = run_on_all(subject.package, subject.arrays());
    expect_equal_outputs(runs);
    expect_same(runs.at("A").output, subject.interpreted());
    EXPECT_FALSE(runs.at("simple").statistics["hbm"][0].contains("dram"));
    EXPECT_NE(runs.at("simple").statistics["cycles"], runs.at("A").statistics["cycles"]);

    const nlohmann::json& statistics = runs.at("A").statistics;
    std::uint64_t bytes = 0, moved = 0;
    for (const nlohmann::json& stack : statistics["hbm"]) {
        bytes += stack["bytes_read"].get<std::uint64_t>() + stack["bytes_written"].get<std::uint64_t>();
        const nlohmann::json& dram = stack["dram"];
        const auto bursts =
            dram["read_bursts"].get<std::uint64_t>() + dram["write_bursts"].get<std::uint64_t>();
        moved += 32 * bursts;
        EXPECT_EQ(dram["row_hits"].get<std::uint64_t>() + dram["row_misses"].get<std::uint64_t>() +
                      dram["row_conflicts"].get<std::uint64_t>(),
                  bursts);
        EXPECT_GT(dram["energy_joules"]["total"].get<double>(), 0);
        EXPECT_EQ(dram["channels"].size(), 8u);
    }
    EXPECT_GE(moved, bytes) << "whole bursts";
}

TEST(RtlHbm, AStridedGatherIsBoundByTheRowCycle) {
    const config::Config config = config::load("small16");
    const neff::Package package = strided_gather(config);
    std::vector<float> x(config.core.partitions * RowColumns);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 65521);
    npy::Array array{npy::Type::F4, {config.core.partitions, RowColumns}, Bytes(x.size() * sizeof(float))};
    std::memcpy(array.data.data(), x.data(), array.data.size());
    const auto runs = run_on_all(package, {{"x", array}});
    expect_equal_outputs(runs);
    const auto time = [&](const char* name) {
        return runs.at(name).statistics["simulated_seconds"].get<double>();
    };
    EXPECT_GT(time("A"), time("B")) << "tRC 78 and 68 cycles";
    EXPECT_GT(time("B"), time("A hashed"));
    const double row_cycles = config.core.partitions * Reads * 78 * 0.625e-9;
    EXPECT_GE(time("A"), row_cycles) << "each of them opens a row of the same bank";
}

TEST(RtlHbm, KernelsHaveTheInterpretersBits) {
    auto random = generator();
    for (const char* kernel : {"transpose", "softmax", "layernorm"}) {
        for (const char* page_policy : {"closed", "adaptive"}) {
            config::Config config = on_banks("B");
            config.hbm.banked.page_policy = page_policy;
            config.hbm.banked.refresh = "per_bank";
            config.hbm.banked.single_upset_every = 50;
            const auto row = std::ranges::find(kernel_rows(), kernel, &KernelRow::kernel);
            ASSERT_NE(row, kernel_rows().end());
            const KernelCase subject(kernel, config, choose(row->small, 0, random), random);
            SCOPED_TRACE(subject.name());
            expect_same(subject.on_rtl(), subject.interpreted());
        }
    }
}

TEST(RtlHbm, TwoWrongBitsEndTheRun) {
    auto random = generator();
    config::Config config = on_banks("A");
    config.hbm.banked.double_upset_every = 20;
    const KernelCase subject("matmul", config, {{"M", "16"}, {"K", "64"}, {"N", "64"}}, random);
    EXPECT_THROW(subject.on_rtl(), std::runtime_error);
}

}  // namespace
}  // namespace trnsim::test
