// Tests `trnsim regress` on a small core, with and without faults in the machine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "arch/target/target.hpp"
#include "base/files/files.hpp"
#include "base/jobs/pool.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/neff.hpp"
#include "isa/instruction.hpp"
#include "runtime/session/chip_machine.hpp"
#include "tools/cli/app.hpp"
#include "tools/regress/baseline.hpp"

namespace trnsim::regress {
namespace {

// Flip changes one bit of the data read back; Lanes writes programs to memory in which some instructions
// leave out the lanes from FirstWrongLane on, as faulty hardware might; the others end the run in other ways.
enum class Fault { None, Flip, Lanes, Throw, Crash };

constexpr unsigned FirstWrongLane = 9;

class FaultyChip : public runtime::ChipMachine {
  public:
    FaultyChip(const config::Config& config, const runtime::MachineOptions& options, Fault fault)
        : ChipMachine(
              config,
              {.sink = options.sink, .perturb = options.perturb, .random_memory = options.random_memory}),
          fault_(fault) {}

    void write(std::uint64_t address, std::span<const std::uint8_t> data) override {
        std::vector<std::uint8_t> bytes(data.begin(), data.end());
        const bool wrong = fault_ == Fault::Lanes && is_program(data);
        for (std::size_t at = 0; wrong && at < bytes.size(); at += isa::InstructionBytes) {
            isa::Instruction instruction = instruction_at(bytes, at);
            if (instruction.opcode() != isa::Opcode::ScalarTensorTensor) continue;
            instruction.set(isa::field::Partitions, FirstWrongLane);
            std::ranges::copy(instruction.bytes(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
        }
        ChipMachine::write(address, bytes);
    }

    void read(std::uint64_t address, std::span<std::uint8_t> data) override {
        ChipMachine::read(address, data);
        if (fault_ == Fault::Flip) data[data.size() - 3] ^= 1;
        if (fault_ == Fault::Throw) throw std::runtime_error("assertion failed");
        if (fault_ == Fault::Crash) std::abort();
    }

  private:
    static isa::Instruction instruction_at(std::span<const std::uint8_t> data, std::size_t at) {
        return isa::Instruction{data.subspan(at).first<isa::InstructionBytes>()};
    }
    // Blocks of tensors and descriptors may look like instructions, too.
    static bool is_program(std::span<const std::uint8_t> data) {
        if (data.size() % isa::InstructionBytes != 0) return false;
        for (std::size_t at = 0; at < data.size(); at += isa::InstructionBytes)
            if (instruction_at(data, at).info() == nullptr) return false;
        return true;
    }

    Fault fault_;
};

class RegressCommand : public testing::Test {
  protected:
    int run(const std::string& list, std::vector<std::string> options = {}) {
        files::write(folder_ / "l.yaml", "config: small16\n" + list);
        std::vector<std::string> arguments{"regress", path("l.yaml"), "-o", path(output_), "--jobs", "2"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        std::ostringstream out, err;
        const int status = cli::run(arguments, {out, err, terminal_, machine(), {}, {}});
        out_ = out.str();
        err_ = err.str();
        return status;
    }
    runtime::MachineFactory machine() const {
        return [fault = fault_](const config::Config& config, const runtime::MachineOptions& options) {
            auto chip = std::make_unique<FaultyChip>(config, options, fault);
            if (options.wave) chip->record_wave(*options.wave);
            chip->watch(options.watch);
            return chip;
        };
    }
    static std::function<std::string(const std::filesystem::path&, const std::vector<std::string>&)>
    viewer() {
        return [](const std::filesystem::path&, const std::vector<std::string>&) { return "no display"; };
    }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string text(const std::string& name) const {
        const auto bytes = files::read(folder_ / name);
        return {bytes.begin(), bytes.end()};
    }
    nlohmann::json results() const { return nlohmann::json::parse(text("out/results.json"))["results"]; }
    bool printed(const std::string& words) const { return out_.find(words) != std::string::npos; }

    test::TemporaryDirectory folder_;
    Fault fault_ = Fault::None;
    bool terminal_ = false;
    std::string output_ = "out";  // the folder of the results
    std::string out_, err_;
};

const std::string One = "tests:\n  - { kernel: gelu, arguments: { rows: 5, cols: 7 } }\n";

TEST_F(RegressCommand, TheFolderOfResultsIsAFolder) {
    files::write(folder_ / "out", "");
    EXPECT_EQ(run("tests: [{ kernel: matmul, arguments: { M: 3, K: 4, N: 5 } }]\n"), 2);
    EXPECT_NE(err_.find(path("out") + ": cannot be made: "), std::string::npos) << err_;
}

// What no regression wrote is neither removed nor replaced, wherever in the folder it is.
TEST_F(RegressCommand, OnlyResultsAreReplaced) {
    for (const char* mine : {"tests/mine_test.py", "tests/more/x.json", "failures/notes.txt", "report.html",
                             "results.json", "junit.xml"}) {
        std::filesystem::remove_all(folder_ / "out");
        std::filesystem::create_directories((folder_ / "out" / mine).parent_path());
        files::write(folder_ / "out" / mine, std::string_view("{\"list\": \"mine\"}"));
        for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"--resume"}}) {
            EXPECT_EQ(run(One, options), cli::BadInput) << mine;
            EXPECT_TRUE(err_.starts_with("trnsim: " + path("out/"))) << err_;
            EXPECT_NE(err_.find("expected another folder for the results (-o)\n"), std::string::npos) << err_;
            EXPECT_EQ(text(std::string("out/") + mine), "{\"list\": \"mine\"}");
        }
    }
    std::filesystem::remove_all(folder_ / "out");
    EXPECT_EQ(run(One), cli::Success) << err_;
    files::write(folder_ / "out/mine.txt", std::string_view("mine"));
    EXPECT_EQ(run(One), cli::Success) << "its own results, with another file beside them: " << err_;
    EXPECT_EQ(text("out/mine.txt"), "mine");
    std::filesystem::rename(folder_ / "out/junit.xml", folder_ / "out/tests/junit.xml");
    EXPECT_EQ(run(One), cli::BadInput);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out/tests/junit.xml"));
}

// A list may read what an earlier regression kept of a failure.
TEST_F(RegressCommand, WhatTheListReadsIsNotRemoved) {
    fault_ = Fault::Flip;
    EXPECT_EQ(run(One), cli::SimulationError);
    const std::string log = results()[0]["rerun"]["log"];
    const std::string kernel = std::filesystem::path("out/" + log).replace_extension(".neff").string();
    EXPECT_EQ(run("tests: [{ neff: " + kernel + " }]\n"), cli::BadInput);
    EXPECT_NE(err_.find("is read by the list, and a regression would remove it"), std::string::npos) << err_;
    EXPECT_FALSE(text(kernel).empty());
}

// Mistakes are told before anything is removed.
TEST_F(RegressCommand, MistakesLeaveEarlierResults) {
    fault_ = Fault::Flip;
    EXPECT_EQ(run(One), cli::SimulationError);
    const std::string log = "out/" + std::string(results()[0]["rerun"]["log"]);
    EXPECT_EQ(run("tags: t\n" + One, {"--history", path("h.jsonl"), "--tag", "t"}), cli::BadInput);
    files::write(folder_ / "l.cycles.json", std::string_view("no baseline"));
    EXPECT_EQ(run(One), cli::BadInput);
    EXPECT_FALSE(text(log).empty());
}

TEST_F(RegressCommand, PassesQuietlyInAPipe) {
    EXPECT_EQ(run(One), cli::Success) << out_;
    EXPECT_EQ(err_, "");
    EXPECT_TRUE(printed("1 tests in ")) << out_;
    EXPECT_TRUE(printed("1 passed, 0 failed\n")) << out_;
    for (const char* file : {"out/report.html", "out/results.json", "out/junit.xml"})
        EXPECT_FALSE(text(file).empty()) << file;
    EXPECT_GT(results()[0]["cycles"], 0);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out/failures"));
}

TEST_F(RegressCommand, ShowsProgressOnATerminal) {
    terminal_ = true;
    EXPECT_EQ(run(One), cli::Success);
    EXPECT_NE(err_.find("0 of 1 tests, 0 failed, 0.0 tests/s"), std::string::npos) << err_;
}

TEST_F(RegressCommand, ExpectedErrorsPass) {
    const std::string list = "tests:\n  - { kernel: gelu, arguments: { rows: 0, cols: 7 }, expect: ";
    EXPECT_EQ(run(list + "whole number from 1 }\n"), cli::Success) << out_;
    EXPECT_EQ(run(list + "something else }\n"), cli::SimulationError);
    EXPECT_TRUE(printed("(expected 'something else')")) << out_;
    EXPECT_EQ(run("tests:\n  - { kernel: gelu, arguments: { rows: 1, cols: 7 }, expect: trouble }\n"),
              cli::SimulationError);
    EXPECT_TRUE(printed("no error: ended without an error, expected 'trouble'")) << out_;
    EXPECT_TRUE(printed(" --at ") && !printed(" --at 0\n"))
        << "the end of the run is what is shown: " << out_;
}

TEST_F(RegressCommand, KernelsOfTheUserHaveBaselines) {
    const target::Core target = target::of(config::load("small16"));
    neff::write(folder_ / "mine.neff", kernels::build_kernel("gelu", {{"rows", "5"}, {"cols", "7"}}, target));
    files::write(folder_ / "gen",
                 "#!/bin/sh\n[ $1 = right ] || { echo what is $1 >&2; exit 3; }\n"
                 "[ $2 = -o ] && [ $4 = --config ] && grep -q 'name: small16' $5 && cp mine.neff $3\n");
    std::filesystem::permissions(folder_ / "gen", std::filesystem::perms::owner_all);
    const std::string list = "tests:\n  - { neff: mine.neff }\n  - { program: [./gen, right] }\n";
    EXPECT_EQ(run(list, {"--update-baseline"}), cli::Success) << out_;
    const Baseline baseline = read_baseline(folder_ / "l.cycles.json");
    ASSERT_EQ(baseline.size(), 2u);
    const std::uint64_t cycles = baseline.at("mine/rows=5,cols=7,dtype=bf16/small16/seed=1/nearest");
    EXPECT_EQ(baseline.at("gen/right/small16/seed=1/nearest"), cycles);
    EXPECT_EQ(run(list), cli::Success) << out_;
    EXPECT_EQ(results()[1]["kernel"], "gen");
    EXPECT_EQ(run("tests:\n  - { program: [./gen, wrong] }\n"), cli::SimulationError);
    EXPECT_TRUE(
        printed("gen/wrong/small16/seed=1/nearest: error: program './gen wrong' ended with status 3: what is "
                "wrong\n"))
        << out_;
    files::write(folder_ / "gen", "#!/bin/sh\n");
    EXPECT_EQ(run("tests:\n  - { program: [./gen] }\n"), cli::SimulationError);
    EXPECT_TRUE(printed("program './gen' wrote no container, expected it at what follows its -o\n")) << out_;
    fault_ = Fault::Flip;
    EXPECT_EQ(run("tests:\n  - { neff: mine.neff }\n"), cli::SimulationError);
    EXPECT_TRUE(printed("mismatch: output y: 1 of 35 elements differ")) << out_;
}

// Delays change the cycles, so these are neither compared nor kept.
TEST_F(RegressCommand, PerturbedTestsHaveNoBaseline) {
    const std::string list =
        "tests:\n  - { kernel: matmul, arguments: { M: 5, K: 6, N: 7 }, perturb: [none, 1] }\n";
    const std::string id = "matmul/M=5,K=6,N=7/small16/seed=1/nearest";
    EXPECT_EQ(run(list, {"--update-baseline"}), cli::Success) << out_;
    const Baseline baseline = read_baseline(folder_ / "l.cycles.json");
    ASSERT_EQ(baseline.size(), 1u);
    EXPECT_EQ(baseline.begin()->first, id);
    write_baseline(folder_ / "l.cycles.json", {{id, baseline.at(id)}, {id + "/perturb=1", 1}});
    EXPECT_EQ(run(list), cli::Success) << out_;
    EXPECT_TRUE(printed("2 passed, 0 failed\n")) << out_;
    EXPECT_EQ(results()[0]["perturb"], nullptr);
    EXPECT_EQ(results()[1]["perturb"], 1);
    EXPECT_GT(results()[1]["cycles"], results()[0]["cycles"]);
}

TEST_F(RegressCommand, AWrongBitIsFoundAndRecorded) {
    fault_ = Fault::Flip;
    EXPECT_EQ(run(One), cli::SimulationError);
    EXPECT_TRUE(printed("mismatch: output y: 1 of 35 elements differ from the interpreter's, first [4, 5]"))
        << out_;
    const auto result = results()[0];
    EXPECT_EQ(result["rerun"]["same"], true);
    const std::string log = text("out/" + std::string(result["rerun"]["log"]));
    EXPECT_NE(log.find("first wrong transfer: '"), std::string::npos) << log;
    EXPECT_NE(log.find("dma_trigger"), std::string::npos) << log;
    const std::string wave = text("out/" + std::string(result["rerun"]["wave"]));
    EXPECT_GT(wave.size(), 1000u);
    const auto trace = nlohmann::json::parse(text("out/" + std::string(result["rerun"]["trace"])));
    EXPECT_GT(trace["traceEvents"].size(), 20u);
    EXPECT_GT(result["rerun"]["first_cycle"], 0);
    EXPECT_GT(result["rerun"]["last_cycle"], result["rerun"]["first_cycle"]);
    EXPECT_NE(text("out/junit.xml").find("<failure type=\"mismatch\""), std::string::npos);
}

TEST_F(RegressCommand, TheFirstWrongInstructionIsFoundAndShown) {
    fault_ = Fault::Lanes;
    const std::string list =
        "tests:\n  - { kernel: layernorm, arguments: { rows: 16, cols: 24 }, rounding: stochastic, seed: 3 "
        "}\n";
    EXPECT_EQ(run(list), cli::SimulationError);
    const auto rerun = results()[0]["rerun"];
    EXPECT_EQ(rerun["same"], true) << out_;
    const std::string log = text("out/" + std::string(rerun["log"]));
    EXPECT_NE(log.find("first wrong instruction: vector instruction "), std::string::npos) << log;
    EXPECT_NE(log.find("[scalar_tensor_tensor dst=sbuf[0+0x"), std::string::npos) << log;
    EXPECT_NE(log.find("] at compiler/kernels/layernorm.cpp:"), std::string::npos) << log;
    EXPECT_NE(log.find(" wrong bytes, first sbuf[9+0x"), std::string::npos) << log;
    EXPECT_EQ(rerun["view"], "vector");
    EXPECT_EQ(rerun["lane"], FirstWrongLane);
    EXPECT_GT(rerun["place"], rerun["first_cycle"]);
    EXPECT_LT(rerun["place"], rerun["last_cycle"]);

    const std::string stem = std::filesystem::path(rerun["wave"]).replace_extension("").string();
    const std::string view = text("out/" + stem + ".vector.gtkw");
    EXPECT_NE(view.find("-Lane 9\n"), std::string::npos) << view;
    EXPECT_NE(view.find("#{result} (192)core.neuron_core"), std::string::npos) << "of 512 bits the 9th word";
    EXPECT_NE(view.find("+{expected} element.expected\n"), std::string::npos) << view;
    const auto made = nlohmann::json::parse(text("out/" + stem + ".wave/run.json"));
    const auto& element = made.at("element");
    EXPECT_EQ(element.at("cycle"), rerun["place"]);
    EXPECT_EQ(element.at("lane"), FirstWrongLane);
    EXPECT_EQ(element.at("found"), "not written");
    const std::string expected = element.at("expected");
    EXPECT_NE(log.find("expected " + expected + "\n"), std::string::npos) << expected << "\n" << log;
    EXPECT_NE(view.find("/" + stem + ".wave/program_vector.txt\n"), std::string::npos) << view;
    EXPECT_NE(log.find("\n" + std::string(rerun["reproduce"]) + "\n" + std::string(rerun["show"]) + "\n"),
              std::string::npos);
    EXPECT_TRUE(printed(std::string(rerun["show"]))) << out_;
}

// An instruction of 512 elements writes its first one more than a thousand core cycles before its end: Vector
// has two edges in five of them.
TEST_F(RegressCommand, TheFirstWrongElementIsFoundOnTheLargeCore) {
    fault_ = Fault::Lanes;
    EXPECT_EQ(run("tests:\n  - { kernel: layernorm, arguments: { rows: 128, cols: 512 }, config: trn1 }\n"),
              cli::SimulationError);
    const auto rerun = results()[0]["rerun"];
    EXPECT_EQ(rerun["same"], true) << out_;
    EXPECT_EQ(rerun["lane"], FirstWrongLane);
    const std::string log = text("out/" + std::string(rerun["log"]));
    const std::size_t cycles = log.find("  in cycles ");
    ASSERT_NE(cycles, std::string::npos) << log;
    std::istringstream words(log.substr(cycles));
    std::string in, of, to;
    std::uint64_t issue = 0, completion = 0;
    words >> in >> of >> issue >> to >> completion;
    EXPECT_GT(rerun["place"], issue);
    EXPECT_LT(rerun["place"].get<std::uint64_t>() + 1000, completion) << log;
    EXPECT_LT(rerun["first_cycle"], rerun["place"]);
    EXPECT_GT(rerun["last_cycle"], rerun["place"]);
    EXPECT_NE(log.find("  which is written in cycle " + std::to_string(rerun["place"].get<std::uint64_t>())),
              std::string::npos)
        << log;
    EXPECT_NE(log.find("first wrong instruction: vector instruction 2 [scalar_tensor_tensor "),
              std::string::npos)
        << log;
}

// Runs the commands of a failure on a machine with the same fault and on one without.
class RegressCommands : public RegressCommand {
  protected:
    // Runs the command in its own process, as a process has only one machine.
    int type(const std::string& command, Fault fault) {
        fault_ = fault;
        const auto run_it = [&]() -> std::string {
            std::istringstream words(command);
            std::vector<std::string> arguments;
            for (std::string word; words >> word;) arguments.push_back(word);
            if (const std::size_t sign = arguments[0].find('='); sign != std::string::npos) {  // of the core
                ::setenv(arguments[0].substr(0, sign).c_str(), arguments[0].substr(sign + 1).c_str(), 1);
                arguments.erase(arguments.begin());
            }
            arguments.erase(arguments.begin());  // trnsim
            std::ostringstream out, err;
            const int status = cli::run(arguments, {out, err, false, machine(), viewer(), {}});
            return fmt::format("{} {}", status, err.str());
        };
        jobs::Outcome ended;
        jobs::run_all(
            1, [&](std::size_t) { return jobs::Job{.work = run_it, .time_limit = 60}; },
            [&ended](std::size_t, const jobs::Outcome& outcome) { ended = outcome; }, {});
        said_ = ended.text;
        return ended.text.empty() ? -1 : ended.text.front() - '0';
    }
    std::string said_;
};

TEST_F(RegressCommands, ReproduceAndShowIt) {
    for (const std::string& list :
         {std::string(
              "tests:\n  - { kernel: layernorm, arguments: { rows: 16, cols: 24 }, seed: 3, perturb: 2 }\n"),
          std::string("tests:\n  - { program: engines, arguments: { programs: 8 } }\n")}) {
        fault_ = Fault::Lanes;
        EXPECT_EQ(run(list), cli::SimulationError) << out_;
        const auto result = results()[0];
        const std::string reproduce = result["rerun"]["reproduce"], show = result["rerun"]["show"];
        if (const char* cores = std::getenv("TRNSIM_CORE_PATH")) {
            EXPECT_TRUE(reproduce.starts_with("TRNSIM_CORE_PATH=" + std::string(cores) + " trnsim run "))
                << reproduce;
        }
        EXPECT_EQ(type(reproduce, Fault::Lanes), cli::SimulationError) << reproduce << "\n" << said_;
        const std::string message = result["message"];
        EXPECT_NE(said_.find(message.substr(0, message.find(';'))), std::string::npos) << said_ << "\n"
                                                                                       << message;
        EXPECT_EQ(type(reproduce, Fault::None), cli::Success) << reproduce << "\n" << said_;
        EXPECT_EQ(type(show, Fault::None), cli::Success) << show << "\n" << said_;
    }
}

const std::string Programs = "tests:\n  - { program: engines, arguments: { programs: 3 }";

TEST_F(RegressCommand, RandomProgramsAreTestsLikeKernels) {
    EXPECT_EQ(run(Programs + ", rounding: [nearest, stochastic] }\n"), cli::Success) << out_;
    EXPECT_TRUE(printed("2 passed, 0 failed\n")) << out_;
    EXPECT_EQ(results()[0]["program"], "engines");
    EXPECT_GT(results()[0]["cycles"], 0);
    fault_ = Fault::Flip;
    EXPECT_EQ(run(Programs + " }\n"), cli::SimulationError);
    EXPECT_TRUE(printed("mismatch: output after: 1 of ")) << out_;
    EXPECT_EQ(results()[0]["rerun"]["same"], true) << out_;
    const std::string log = text("out/" + std::string(results()[0]["rerun"]["log"]));
    EXPECT_NE(log.find("first wrong transfer: 'program "), std::string::npos) << log;
    EXPECT_GT(text("out/" + std::string(results()[0]["rerun"]["wave"])).size(), 1000u);
    EXPECT_NE(text("out/junit.xml").find("classname=\"l.engines\""), std::string::npos);
}

TEST_F(RegressCommand, AimedProgramsHitBins) {
    files::write(folder_ / "p.yaml",
                 std::string_view("groups:\n  - { name: casts, instructions: [tensor_copy], engine: vector, "
                                  "cross: [a_dtype, dst_dtype] }\n"));
    const std::string list = "coverage: p.yaml\ntests:\n  - { program: engines, arguments: { programs: 14 }";
    EXPECT_EQ(run(list + ", aim: casts }\n", {"--coverage"}), cli::Success) << out_;
    EXPECT_TRUE(printed("169 of 169 bins")) << out_;
    EXPECT_EQ(run(list + " }\n", {"--coverage"}), cli::Success) << out_;
    EXPECT_FALSE(printed("169 of 169 bins")) << out_;
}

TEST_F(RegressCommand, ProgramsOfTheSequencersAreCompared) {
    const std::string list = "tests:\n  - { program: control, arguments: { programs: 2 }, seed: [1, 2] }\n";
    EXPECT_EQ(run(list), cli::Success) << out_;
    fault_ = Fault::Flip;
    EXPECT_EQ(run(list), cli::SimulationError);
    EXPECT_TRUE(printed("mismatch: output after: 1 of ")) << out_;
    EXPECT_EQ(results()[1]["rerun"]["same"], true);
    const std::string log = text("out/" + std::string(results()[1]["rerun"]["log"]));
    EXPECT_NE(log.find("first wrong transfer: 'round 1, after'"), std::string::npos) << log;
}

TEST_F(RegressCommand, CoverageBelowTheMinimumFails) {
    files::write(folder_ / "p.yaml",
                 std::string_view("groups:\n  - { name: functions, instructions: [activation], cross: "
                                  "[{ act_function: [gelu, tanh] }] }\n"));
    const std::string list = "coverage: p.yaml\ntags: t\n" + One + "coverage_minimum: ";
    EXPECT_EQ(run(list + "100 %\n", {"--coverage"}), cli::SimulationError);
    EXPECT_TRUE(printed("    missing: tanh\n")) << out_;
    EXPECT_TRUE(printed("functional coverage: 1 of 2 bins are 50.0 %, expected at least 100 %\n")) << out_;
    EXPECT_NE(text("out/junit.xml").find("<failure type=\"coverage\""), std::string::npos);
    EXPECT_NE(text("out/report.html").find("expected at least 100 %"), std::string::npos);
    EXPECT_EQ(run(list + "50 %\n", {"--coverage"}), cli::Success) << out_;
    EXPECT_EQ(text("out/junit.xml").find("<failure"), std::string::npos);
    EXPECT_EQ(run(list + "100 %\n"), cli::Success) << "not asked for";
    EXPECT_EQ(run(list + "100 %\n", {"--coverage", "--tag", "t"}), cli::Success) << "some tests only";
}

TEST_F(RegressCommand, ErrorsAndCrashesAreTold) {
    fault_ = Fault::Throw;
    EXPECT_EQ(run(One), cli::SimulationError);
    EXPECT_TRUE(printed("error: assertion failed")) << out_;
    fault_ = Fault::Crash;
    EXPECT_EQ(run(One), cli::SimulationError);
    EXPECT_TRUE(printed("crash: ended by signal 6")) << out_;
    EXPECT_EQ(results()[0]["rerun"]["same"], true) << out_;
}

TEST_F(RegressCommand, TimeLimitsEndATest) {
    EXPECT_EQ(
        run("tests:\n  - { kernel: matmul, arguments: { M: 900, K: 900, N: 900 }, time_limit: 300 ms }\n"),
        cli::SimulationError);
    EXPECT_TRUE(printed("timeout: took longer than 0.3 s")) << out_;
    EXPECT_NE(results()[0]["rerun"]["wave"], "");
    EXPECT_EQ(run("tests:\n  - { kernel: matmul, arguments: { M: 30, K: 30, N: 30 }, max_time: 2 us }\n"),
              cli::SimulationError);
    EXPECT_TRUE(printed("timeout: not done after 2 us of simulated time")) << out_;
}

TEST_F(RegressCommand, BaselinesAreComparedAndUpdated) {
    const std::filesystem::path file = folder_ / "l.cycles.json";
    EXPECT_EQ(run(One, {"--update-baseline"}), cli::Success) << out_;
    Baseline baseline = read_baseline(file);
    ASSERT_EQ(baseline.size(), 1u);
    EXPECT_EQ(run(One), cli::Success) << out_;
    const std::uint64_t cycles = baseline.begin()->second;
    for (const std::uint64_t other : {cycles * 97 / 100, cycles * 103 / 100}) {
        baseline.begin()->second = other;
        write_baseline(file, baseline);
        EXPECT_EQ(run(One), cli::SimulationError);
        EXPECT_TRUE(printed("cycles: ")) << out_;
        EXPECT_EQ(results()[0]["baseline"], other);
        EXPECT_TRUE(printed("    no difference by class\n")) << "the run is the same: " << out_;
    }
    // An engine that waited less before.
    EngineBaseline engines = read_engines(folder_ / "l.engines.json");
    auto& scalar = engines.begin()->second.at("scalar");
    scalar[1] -= 40;
    write_engines(folder_ / "l.engines.json", engines);
    EXPECT_EQ(run(One), cli::SimulationError);
    EXPECT_TRUE(printed(fmt::format("    scalar    {:<24}{:>14}{:>14}{:>14}\n", "semaphore", scalar[1],
                                    scalar[1] + 40, "+40")))
        << out_;
    const std::string profile = results()[0]["commands"][0], accept = results()[0]["commands"][1];
    const std::size_t kernel = profile.find(path("out/failures/000-"));
    ASSERT_NE(kernel, std::string::npos) << profile;
    EXPECT_TRUE(profile.substr(0, kernel).ends_with("trnsim profile ")) << profile;
    EXPECT_TRUE(std::filesystem::exists(profile.substr(kernel, profile.find(" --config") - kernel)))
        << profile;
    EXPECT_TRUE(
        accept.ends_with("trnsim regress " + path("l.yaml") + " -o " + path("out") + " --update-baseline"))
        << accept;
    EXPECT_TRUE(printed("    " + profile + "\n    " + accept + "\n")) << out_;
    std::filesystem::remove(folder_ / "l.engines.json");
    EXPECT_EQ(run(One), cli::SimulationError);
    EXPECT_TRUE(
        printed("no cycles by class in " + path("l.engines.json") + ", which --update-baseline writes\n"))
        << out_;
    EXPECT_EQ(run(One, {"--update-baseline"}), cli::Success) << out_;
    EXPECT_EQ(read_baseline(file).begin()->second, cycles);
}

// Commands are for a shell: this one makes the words.
std::vector<std::string> words_of(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
        ::popen(("set -- " + command + "; printf '%s\\n' \"$@\"").c_str(), "r"), ::pclose);
    std::string said;
    for (int c = 0; pipe && (c = std::fgetc(pipe.get())) != EOF;) said += static_cast<char>(c);
    std::istringstream lines(said);
    std::vector<std::string> words;
    for (std::string line; std::getline(lines, line);) words.push_back(line);
    return words;
}

TEST_F(RegressCommand, CommandsAreQuotedForAShell) {
    output_ = "my $out's";
    files::write(folder_ / "my cfg.yaml", std::string_view("extends: small16\nname: mine\n"));
    fault_ = Fault::Flip;
    EXPECT_EQ(run("tests:\n  - { kernel: gelu, arguments: { rows: 5, cols: 7 }, config: my cfg.yaml }\n"),
              cli::SimulationError);
    const auto results = nlohmann::json::parse(text(output_ + "/results.json"))["results"];
    for (const char* which : {"reproduce", "show"}) {
        const std::vector<std::string> words = words_of(results[0]["rerun"][which]);
        const auto file = std::ranges::find_if(words, [&](const std::string& word) {
            return word.starts_with(path(output_ + "/failures/000-"));
        });
        ASSERT_NE(file, words.end()) << results[0]["rerun"][which];
        EXPECT_TRUE(std::filesystem::exists(*file)) << *file;
        if (which == std::string("reproduce")) {
            EXPECT_NE(std::ranges::find(words, path("my cfg.yaml")), words.end())
                << results[0]["rerun"][which];
        }
    }
}

// Without a kernel there is nothing to run; the command makes it.
TEST_F(RegressCommand, AKernelThatCannotBeMadeHasTheCommandThatMakesIt) {
    files::write(folder_ / "gen", "#!/bin/sh\necho no $1 >&2; exit 3\n");
    std::filesystem::permissions(folder_ / "gen", std::filesystem::perms::owner_all);
    EXPECT_EQ(run("tests:\n  - { program: [./gen, a b] }\n"), cli::SimulationError);
    const std::string command = results()[0]["rerun"]["reproduce"];
    EXPECT_TRUE(command.starts_with("cd ")) << command;
    EXPECT_EQ(std::system((command + " 2>" + path("said")).c_str()), 3 << 8) << command;
    EXPECT_EQ(text("said"), "no a b\n");
    EXPECT_EQ(run("tests:\n  - { kernel: gelu, arguments: { rows: 0, cols: 7 }, expect: other }\n"),
              cli::SimulationError);
    const std::vector<std::string> words = words_of(results()[0]["rerun"]["reproduce"]);
    const std::vector<std::string> expected{"trnsim", "kernel", "build",    "gelu",    "--arg", "cols=7",
                                            "--arg",  "rows=0", "--config", "small16", "-o"};
    ASSERT_GT(words.size(), expected.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), words.begin()))
        << results()[0]["rerun"]["reproduce"];
}

// Results that are there are taken; the machine would give wrong bits now.
TEST_F(RegressCommand, ResumesWhatHasRun) {
    const auto list = [](const char* rows) {
        return std::string("tests:\n  - { kernel: gelu, arguments: { rows: ") + rows + ", cols: 7 } }\n";
    };
    EXPECT_EQ(run(list("[5, 6]")), cli::Success) << out_;
    fault_ = Fault::Flip;
    EXPECT_EQ(run(list("[5, 6]"), {"--resume"}), cli::Success) << out_;
    EXPECT_TRUE(printed("2 passed, 0 failed, 2 kept of an earlier run\n")) << out_;
    EXPECT_EQ(run(list("[5, 6, 7]"), {"--resume"}), cli::SimulationError) << out_;
    EXPECT_TRUE(printed("2 passed, 1 failed (1 mismatch), 2 kept of an earlier run\n")) << out_;
    EXPECT_EQ(results()[2]["rerun"]["same"], true) << "failures are shown as ever";
    // A failure is a result as well; it is shown again.
    EXPECT_EQ(run(list("[5, 6, 7]"), {"--resume"}), cli::SimulationError) << out_;
    EXPECT_TRUE(printed("2 passed, 1 failed (1 mismatch), 3 kept of an earlier run\n")) << out_;
    EXPECT_EQ(run(list("5")), cli::SimulationError) << "nothing is kept without it";
}

TEST_F(RegressCommand, CoverageIsThatOfKeptResultsToo) {
    files::write(folder_ / "p.yaml",
                 std::string_view("groups:\n  - { name: functions, instructions: [activation], cross: "
                                  "[{ act_function: [gelu, tanh] }] }\n"));
    EXPECT_EQ(run(One), cli::Success) << out_;
    EXPECT_EQ(run(One, {"--plan", path("p.yaml"), "--resume"}), cli::Success) << out_;
    EXPECT_FALSE(printed("kept of an earlier run")) << "it has counted nothing: " << out_;
    EXPECT_TRUE(printed("1 of 2 bins")) << out_;
    EXPECT_EQ(run(One, {"--plan", path("p.yaml"), "--resume"}), cli::Success) << out_;
    EXPECT_TRUE(printed("1 kept of an earlier run")) << out_;
    EXPECT_TRUE(printed("1 of 2 bins")) << out_;
}

// The name of a configuration in a file is the name of its tests, wherever the file is.
TEST_F(RegressCommand, TestsHaveTheNameOfTheConfiguration) {
    files::write(folder_ / "some-file.yaml", std::string_view("extends: small16\nname: mine\n"));
    const std::string list =
        "tests:\n  - { kernel: gelu, arguments: { rows: 5, cols: 7 }, config: [some-file.yaml, small16] }\n";
    EXPECT_EQ(run(list), cli::Success) << out_;
    EXPECT_EQ(results()[0]["id"], "gelu/rows=5,cols=7/mine/seed=1/nearest");
    EXPECT_EQ(results()[0]["config"], "some-file.yaml");
    for (const char* name : {"mine", "some-file.yaml"}) {
        EXPECT_EQ(run(list, {"--config", name}), cli::Success) << out_;
        EXPECT_TRUE(printed("1 passed, 0 failed\n")) << out_;
    }
}

TEST_F(RegressCommand, AHistoryGrowsByRuns) {
    const std::vector<std::string> history{"--history", path("h.jsonl")};
    EXPECT_EQ(run(One, history), cli::Success) << out_;
    EXPECT_EQ(run(One, history), cli::Success) << out_;
    EXPECT_TRUE(printed("history of 2 runs in " + path("out/history.html"))) << out_;
    EXPECT_NE(text("out/history.html").find("<h1>History of l</h1>"), std::string::npos);
    EXPECT_EQ(std::ranges::count(text("h.jsonl"), '\n'), 2);
    EXPECT_EQ(run("tags: t\n" + One, {"--history", path("h.jsonl"), "--tag", "t"}), cli::BadInput);
    EXPECT_EQ(err_, "trnsim: --history: found --tag or --config with it, expected the whole list\n");
    const std::string page = path("out/history.html");
    EXPECT_EQ(run(One, {"--history", page}), cli::BadInput) << "its page has the same name";
    EXPECT_NE(err_.find("the same file as"), std::string::npos) << err_;
}

TEST_F(RegressCommand, CoverageCountsExecutedInstructions) {
    files::write(folder_ / "p.yaml",
                 std::string_view("groups:\n  - { name: functions, instructions: [activation], cross: "
                                  "[{ act_function: [gelu, tanh] }] }\n"));
    EXPECT_EQ(run(One, {"--plan", path("p.yaml")}), cli::Success) << out_;
    EXPECT_TRUE(printed("1 of 2 bins")) << out_;
    EXPECT_TRUE(printed("missing: tanh")) << out_;
    EXPECT_NE(text("out/report.html").find("Functional coverage: 50.0 %"), std::string::npos);
}

TEST_F(RegressCommand, ACoreThatCannotBeBuiltIsTold) {
    for (const std::string name : {"small16.yaml", "trn1.yaml"})
        std::filesystem::copy_file(std::filesystem::path(TRNSIM_CONFIGS) / name, folder_ / name);
    files::write(folder_ / "other.yaml",
                 std::string_view("extends: small16.yaml\nname: other\ncore: { sbuf_partition: 32 KiB }\n"));
    const char* const path_before = std::getenv("PATH");
    const std::string before = path_before == nullptr ? "" : path_before;
    ::setenv("PATH", path("").c_str(), 1);
    ::setenv("XDG_CACHE_HOME", path("").c_str(), 1);
    const int status =
        run("tests:\n  - { kernel: gelu, arguments: { rows: 5, cols: 7 }, config: other.yaml }\n");
    ::setenv("PATH", before.c_str(), 1);
    ::unsetenv("XDG_CACHE_HOME");
    EXPECT_EQ(status, cli::SimulationError) << err_;
    EXPECT_TRUE(printed("error: building the core: ")) << out_;
}

TEST_F(RegressCommand, BadInputIsOneLine) {
    EXPECT_EQ(run("tests: []\n"), cli::BadInput);
    EXPECT_EQ(err_, "trnsim: " + path("l.yaml") + ":2:8: tests: found an empty list, expected entries\n");
    EXPECT_EQ(run(One, {"--tag", "x"}), cli::BadInput);
    EXPECT_EQ(err_, "trnsim: --tag x: " + path("l.yaml") + " has no such test\n");
    EXPECT_EQ(run(One, {"--coverage"}), cli::BadInput);
    EXPECT_EQ(err_, "trnsim: --coverage: " + path("l.yaml") + " names no plan, expected --plan\n");
}

}  // namespace
}  // namespace trnsim::regress
