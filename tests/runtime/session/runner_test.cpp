#include "runtime/session/runner.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "arch/addresses/addresses.hpp"
#include "common/sample_package.hpp"
#include "common/temporary_directory.hpp"
#include "runtime/session/fake_machine.hpp"
#include "runtime/session/report.hpp"
#include "runtime/session/statistics.hpp"

namespace trnsim::runtime {
namespace {

using tlm::Outcome;

Arrays sample_inputs() {
    npy::Array array{npy::Type::F4, {4, 8}, std::vector<std::uint8_t>(128)};
    for (std::size_t i = 0; i < array.data.size(); ++i) array.data[i] = static_cast<std::uint8_t>(i + 1);
    return {{"a", array}};
}

Result run_sample(const neff::Package& package, test::FakeMachine& machine,
                  const ProgressFunction& progress = {}) {
    const Observer observer(package, nullptr);
    Prepared prepared = prepare(package, test::trn1_config(), sample_inputs());
    prepared.run.progress = progress;
    return execute(machine, package, prepared, observer);
}

TEST(Runner, CopiesThroughSbuf) {
    const neff::Package package = test::sample_package();
    test::FakeMachine machine;
    const Result result = run_sample(package, machine);
    EXPECT_EQ(result.outcome, Outcome::Done) << result.message;
    EXPECT_EQ(result.message, "");
    ASSERT_EQ(result.outputs.size(), 1u);
    EXPECT_EQ(result.outputs.at("y").data, sample_inputs().at("a").data);
    EXPECT_EQ(result.outputs.at("y").shape, (std::vector<std::uint64_t>{4, 8}));
    EXPECT_EQ(machine.semaphore(3), 16u);
    EXPECT_EQ(machine.semaphore(4), 16u);
    EXPECT_EQ(machine.dma_bytes(), 2u * (128u + 12u * 4u)) << "4 engines move a partition each, 12 the dummy";
    EXPECT_EQ(result.figures.engine[4].completed, 5u);
}

TEST(Runner, ReportsProgressAndCanBeStopped) {
    const neff::Package package = test::sample_package();
    test::FakeMachine machine;
    machine.set_instructions_per_slice(1);
    std::vector<Progress> seen;
    Result result = run_sample(package, machine, [&seen](const Progress& p) {
        seen.push_back(p);
        return true;
    });
    EXPECT_TRUE(result.done());
    ASSERT_GT(seen.size(), 3u);
    EXPECT_EQ(seen.back().total, 7u);
    EXPECT_GE(seen.back().completed, 6u);

    test::FakeMachine stopped;
    stopped.set_instructions_per_slice(1);
    result = run_sample(package, stopped, [](const Progress&) { return false; });
    EXPECT_EQ(result.outcome, Outcome::TimeLimit);
    EXPECT_EQ(result.message, "stopped before the end");
    EXPECT_TRUE(result.outputs.empty());
}

// Vector jumps to itself for ever; the others finish.
neff::Package spinning_sample() {
    neff::Package package = test::sample_package();
    package.programs[1][0] = isa::Instruction(isa::Opcode::Branch).set(isa::field::Target, 0);
    return package;
}

TEST(Runner, EnginesThatOnlySpinHang) {
    const neff::Package package = spinning_sample();
    config::Config config = test::trn1_config();
    config.runtime.idle_instructions = 1000;
    Observer observer(package, nullptr);
    test::FakeMachine machine({.sink = &observer});
    machine.set_instructions_per_slice(100);
    const Result result = execute(machine, package, prepare(package, config, sample_inputs()), observer);
    EXPECT_EQ(result.outcome, Outcome::Hang);
    EXPECT_TRUE(result.spinning);
    EXPECT_EQ(result.message,
              "hang: 1000 instructions (runtime.idle_instructions) had no effect outside the registers of "
              "their engines\nchip 0 core 0, vector engine: issue at instruction 0 (branch target=0)");
    EXPECT_GE(observer.instructions() - observer.last_effect(), 1000u);
    EXPECT_LT(observer.instructions(), 1200u);
}

TEST(Runner, StopsAtTheLongestTime) {
    const neff::Package package = spinning_sample();
    const Observer observer(package, nullptr);
    test::FakeMachine machine;
    machine.set_instructions_per_slice(10);
    Prepared prepared = prepare(package, test::trn1_config(), sample_inputs());
    prepared.run.max_time = 5'000'000'000;
    const Result result = execute(machine, package, prepared, observer);
    EXPECT_EQ(result.outcome, Outcome::TimeLimit);
    EXPECT_EQ(result.message,
              "not done after 5 us of simulated time\nchip 0 core 0, vector engine: issue at instruction 0 "
              "(branch target=0)");
    EXPECT_EQ(result.figures.time, prepared.run.max_time);
}

TEST(Runner, FailuresComeWithTheirDiagnosis) {
    const neff::Package package = test::sample_package();
    test::FakeMachine machine;
    machine.fail_core_at(1, 1, isa::Error::Fetch, 0);
    Result result = run_sample(package, machine);
    EXPECT_EQ(result.outcome, Outcome::CoreError);
    EXPECT_EQ(result.message,
              "chip 0 core 0, vector engine, instruction 1 (halt): instruction fetch refused by the memory");
    EXPECT_TRUE(result.outputs.empty());

    neff::Package hanging = test::sample_package();
    hanging.programs[1][0] = test::wait_for(9, 5);
    test::FakeMachine other;
    result = run_sample(hanging, other);
    EXPECT_EQ(result.outcome, Outcome::Hang);
    EXPECT_EQ(
        result.message,
        "hang: nothing can happen any more\n"
        "chip 0 core 0, vector engine: wait_sem at instruction 0 (event_semaphore wait S[9]>=5), S[9] is 0");
}

TEST(Runner, WritesRoundingAndProgramLengths) {
    const neff::Package package = test::sample_package();
    test::FakeMachine machine;
    const Observer observer(package, nullptr);
    Prepared prepared = prepare(package, test::trn1_config(), sample_inputs());
    prepared.run.rounding = {.stochastic = true, .seed = 0x80000001};
    const Result result = execute(machine, package, prepared, observer);
    EXPECT_EQ(machine.read32(addresses::CoreWindowBase + isa::csr::SrControl), 1u);
    EXPECT_EQ(machine.read32(addresses::CoreWindowBase + isa::csr::SrSeed), 0x80000001u);
    EXPECT_EQ(machine.read32(addresses::CoreWindowBase + isa::csr::EngineProgramLength +
                             4 * isa::csr::EngineStride),
              5u);
    EXPECT_TRUE(result.rounding.stochastic);
    EXPECT_EQ(result.rounding.seed, 0x80000001);
}

TEST(Runner, InputsAreChecked) {
    const neff::Package package = test::sample_package();
    const auto error = [&](const Arrays& inputs) {
        return test::message_of<Error>([&] { prepare(package, test::trn1_config(), inputs); });
    };
    EXPECT_EQ(error({}), "kernel 'sample' needs input 'a' of 4x8 fp32");
    Arrays inputs = sample_inputs();
    inputs["y"] = inputs["a"];
    EXPECT_EQ(error(inputs), "kernel 'sample' has no input 'y'; its inputs: a");
    inputs = sample_inputs();
    inputs["a"].shape = {8, 4};
    EXPECT_EQ(error(inputs), "input 'a': shape 8x4, expected 4x8");
}

TEST(Report, JsonHoldsFiguresAndConfiguration) {
    const neff::Package package = test::sample_package();
    test::FakeMachine machine;
    const Result result = run_sample(package, machine);
    const auto json =
        nlohmann::json::parse(to_json(result, package, test::trn1_config(), estimates::load_tables()));
    EXPECT_EQ(json.at("outcome"), "done");
    EXPECT_EQ(json.at("kernel").at("name"), "sample");
    EXPECT_EQ(json.at("engines").at("sync").at("completed"), 5);
    EXPECT_EQ(json.at("engines").at("sync").at("stall_cycles").at("semaphore"), 0);
    EXPECT_EQ(json.at("cycles"), 7);
    EXPECT_EQ(json.at("dma").size(), 16u);
    EXPECT_EQ(json.at("hbm").size(), 2u);
    EXPECT_EQ(json.at("seed"), 0);
    EXPECT_EQ(json.at("stochastic_rounding"), false);
    EXPECT_EQ(json.at("configuration").at("name"), "trn1");
    EXPECT_TRUE(json.contains("estimates"));
}

// Collects every member that is no object, with [] for the index of an array and ENGINE for the name of an
// engine.
void collect(const nlohmann::json& json, const std::string& path, std::set<std::string>& names) {
    if (json.is_array()) {
        for (const auto& item : json) collect(item, path + "[]", names);
    } else if (json.is_object() && !path.ends_with("cycles_in_state")) {
        for (const auto& [key, value] : json.items()) {
            std::string name = path.empty() ? "" : path + ".";
            name += path == "engines" ? "ENGINE" : key;
            collect(value, name, names);
        }
    } else {
        names.insert(path);
    }
}

TEST(Report, EveryFigureOfTheJsonIsDescribedAndTheOtherWayRound) {
    const neff::Package package = test::sample_package();
    test::FakeMachine machine;
    const Result result = run_sample(package, machine);
    std::set<std::string> found, described;
    collect(nlohmann::json::parse(to_json(result, package, test::trn1_config(), estimates::load_tables())),
            "", found);
    for (const StatisticSection& section : statistic_sections()) {
        for (const StatisticInfo& figure : section.figures) {
            EXPECT_FALSE(figure.doc.empty()) << figure.name;
            if (section.paths.empty()) described.insert(figure.name);
            for (const std::string_view path : section.paths)
                described.insert(std::string(path) + "." + figure.name);
        }
    }
    EXPECT_EQ(found, described);
}

TEST(Report, SummaryShowsTheEnginesThatRan) {
    const neff::Package package = test::sample_package();
    test::FakeMachine machine;
    const std::string text =
        summary(run_sample(package, machine), package, test::trn1_config(), estimates::load_tables());
    EXPECT_NE(text.find("sample on trn1: done\n"), std::string::npos);
    EXPECT_NE(text.find("sync engine"), std::string::npos);
    EXPECT_EQ(text.find("tensor engine"), std::string::npos);
    EXPECT_EQ(text.find("matmul"), std::string::npos);
    EXPECT_NE(text.find("simulated kHz"), std::string::npos);
}

}  // namespace
}  // namespace trnsim::runtime
