// The verilated core with a thread for the lower blocks of its array behaves as the one without: bits, cycles
// and statistics.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/files/files.hpp"
#include "base/jobs/isolated.hpp"
#include "common/temporary_directory.hpp"
#include "model/core/rtl/load_core_model.hpp"
#include "runtime/session/chip_machine.hpp"
#include "runtime/session/runner.hpp"
#include "runtime/session/statistics.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::runtime {
namespace {

// Returns everything that a run gives except its own duration.
std::string outcome(const trial::Trial& trial, unsigned threads) {
    return jobs::run_isolated([&] {
        Observer observer(trial.package, nullptr);
        ChipMachine machine(trial.config, {.sink = &observer}, threads);
        const Result result = execute(machine, trial.package, trial::prepare(trial), observer);
        auto json =
            nlohmann::json::parse(to_json(result, trial.package, trial.config, estimates::load_tables()));
        for (const char* time : {"wall_seconds", "simulated_khz", "mmacs_per_second"})
            EXPECT_EQ(json.erase(time), 1u) << time;
        for (const auto& [name, array] : result.outputs) json["outputs"][name] = array.data;
        return json.dump();
    });
}

TEST(Threads, ChangeNothingInRandomPrograms) {
    const config::Config config = config::load("small16");
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const trial::Trial trial = trial::make_random_trial(config, "engines", {{"programs", "10"}}, seed);
        const std::string one = outcome(trial, 1);
        EXPECT_NE(one.find("\"outcome\":\"done\""), std::string::npos) << one.substr(0, 1000);
        EXPECT_EQ(one, outcome(trial, 2)) << "seed " << seed;
    }
}

TEST(Threads, ChangeNothingInMatmuls) {
    const config::Config config = config::load("small16");
    for (const char* dtype : {"bf16", "fp32"}) {
        const trial::Trial trial = trial::make_trial(
            config, "matmul", {{"M", "40"}, {"K", "48"}, {"N", "200"}, {"dtype", dtype}}, 1);
        EXPECT_EQ(outcome(trial, 1), outcome(trial, 2)) << dtype;
    }
}

// Compares all signals, including those of the lower blocks.
TEST(Threads, ChangeNothingInWaves) {
    constexpr std::size_t Header = 330;  // contains the time of day
    const test::TemporaryDirectory folder;
    const trial::Trial trial =
        trial::make_trial(config::load("small16"), "matmul", {{"M", "16"}, {"K", "16"}, {"N", "16"}}, 1);
    std::vector<std::vector<std::uint8_t>> waves;
    for (const unsigned threads : {1u, 2u}) {
        const std::filesystem::path path = folder / "w.fst";
        jobs::run_isolated([&]() -> std::string {
            Observer observer(trial.package, nullptr);
            ChipMachine machine(trial.config, {.sink = &observer}, threads);
            machine.record_wave({.path = path, .scopes = {"all"}, .from_start = true});
            execute(machine, trial.package, trial::prepare(trial), observer);
            return machine.close_wave();
        });
        waves.push_back(files::read(path));
        ASSERT_GT(waves.back().size(), Header);
        waves.back().erase(waves.back().begin(), waves.back().begin() + Header);
    }
    EXPECT_EQ(waves[0], waves[1]);
}

// Cores are made and destroyed, several at a time, idle or not.
TEST(Threads, EndWithTheirCore) {
    const std::string parameters = config::rtl_parameters(config::load("small16"));
    for (int round = 0; round < 20; ++round) {
        std::vector<std::unique_ptr<tlm::CoreModel>> cores;
        for (int i = 0; i < 3; ++i) {
            cores.push_back(tlm::load_core_model(parameters, 2));
            for (int cycle = 0; cycle < round * i; ++cycle) cores[i]->step();
        }
        for (const auto& core : cores) core->step();
        cores.erase(cores.begin());
        for (const auto& core : cores) core->step();
    }
}

}  // namespace
}  // namespace trnsim::runtime
