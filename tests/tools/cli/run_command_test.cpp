// Tests what a run prints and writes, and where it takes its inputs from.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files/files.hpp"
#include "base/npy/npy.hpp"
#include "common/sample_package.hpp"
#include "compiler/neff/neff.hpp"
#include "session.hpp"

namespace trnsim::cli {
namespace {

TEST(RunCommand, WritesOutputTraceStatisticsAndWave) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run() +
                          Arguments{"--trace", trnsim.path("t.json"), "--stats",      trnsim.path("s.json"),
                                    "--wave",  trnsim.path("w.fst"),  "--wave-scope", "tensor,sync"};
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    EXPECT_EQ(trnsim.err, "");
    EXPECT_NE(trnsim.out.find("sample on trn1: done"), std::string::npos);
    EXPECT_NE(trnsim.out.find(trnsim.path("y.npy")), std::string::npos);
    EXPECT_EQ(npy::read(trnsim.path("y.npy")).data, npy::read(trnsim.path("a.npy")).data);
    const auto statistics = nlohmann::json::parse(files::read(trnsim.path("s.json")));
    EXPECT_EQ(statistics.at("outcome"), "done");
    const auto& estimates = statistics.at("estimates");
    EXPECT_EQ(estimates.at("estimate"), true);
    EXPECT_GT(estimates.at("energy_joules").at("static"), 0);
    EXPECT_GT(estimates.at("area").at("mm2"), 0);
    double all = 0;
    for (const auto& [name, joules] : estimates.at("energy_joules").items())
        all += name == "total" ? 0 : joules.get<double>();
    EXPECT_DOUBLE_EQ(estimates.at("energy_joules").at("total"), all);
    EXPECT_NE(trnsim.out.find(" W on average (estimate)"), std::string::npos) << "no MACs in this kernel";
    const auto trace = nlohmann::json::parse(files::read(trnsim.path("t.json")));
    EXPECT_GT(trace.at("traceEvents").size(), 7u);
    EXPECT_GT(files::read(trnsim.path("w.fst")).size(), 100u);
    EXPECT_EQ(trnsim.directory.entries(), 8u) << "the files asked for, w.wave and w.tensor.gtkw";
}

TEST(RunCommand, TakesAServerForItsChips) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run() + Arguments{"--config"};
    EXPECT_EQ(trnsim(run + Arguments{"trn1.2xlarge"}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("sample on trn1: done"), std::string::npos) << trnsim.out;
    EXPECT_EQ(trnsim(run + Arguments{"trn1.3xlarge"}), 2);
}

// An output that no transfer of the kernel writes as a whole ends the run before it begins, checked or not.
TEST(RunCommand, WantsEveryElementOfAnOutputWritten) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    neff::Package package = test::sample_package();
    package.transfers[1].from.count = package.transfers[1].to.count = {8, 3, 1, 1};
    neff::write(trnsim.path("k.neff"), package);
    const std::string text =
        "output 'y': 8 of 32 elements are returned which nothing has written, the first at [3, 0]\n";
    EXPECT_EQ(trnsim(run + Arguments{"--no-check"}), 1);
    EXPECT_EQ(trnsim.err, "trnsim: " + trnsim.path("k.neff") + ": " + text);
    EXPECT_EQ(trnsim(run), 1);
    EXPECT_EQ(trnsim.err, "trnsim: check of " + trnsim.path("k.neff") + ": " + text);
    EXPECT_FALSE(std::filesystem::exists(trnsim.path("y.npy")));
}

// The machine counts words; the line names the first instruction that reads the first of them, and its caller.
TEST(RunCommand, SaysThatWordsAreReadThatNothingHasWritten) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run() + Arguments{"--no-check"};
    EXPECT_EQ(trnsim(run + Arguments{"--fail-on-unwritten"}), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out.find("unwritten"), std::string::npos);
    neff::Package package = test::sample_package_with_sources();
    const auto copy = [](std::uint32_t offset) {
        return isa::Instruction(isa::Opcode::TensorCopy)
            .set(isa::field::Partitions, 2)
            .set(isa::field::Count0, 3)
            .set(isa::field::Count1, 1)
            .set(isa::field::Count2, 1)
            .set(isa::field::Count3, 1)
            .set_signed(isa::field::AStep0, 2)
            .set(isa::field::ADtype, isa::Dtype::Fp32)
            .set(isa::field::AAddr, offset)
            .set(isa::field::DstDtype, isa::Dtype::Fp32)
            .set(isa::field::DstAddr, 0x8000);
    };
    package.programs[static_cast<std::size_t>(isa::Engine::Vector)] = {copy(0x4), copy(0x1000),
                                                                       isa::Instruction(isa::Opcode::Halt)};
    package.sources.of[static_cast<std::size_t>(isa::Engine::Vector)] = {1, 2, 0};
    neff::write(trnsim.path("k.neff"), package);
    trnsim.prepare = [](test::FakeMachine& machine) {
        machine.set_unwritten(6, 0x40000 + 0x1008, isa::Engine::Vector);
    };
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    EXPECT_TRUE(trnsim.err.starts_with("trnsim: warning: vector instruction 1 [tensor_copy ")) << trnsim.err;
    EXPECT_TRUE(trnsim.err.ends_with(
        "] at lib/helper.hpp:7: reads sbuf[1+0x1008], which nothing has written; 6 words in all\n"))
        << trnsim.err;
    EXPECT_EQ(trnsim.out.find("unwritten"), std::string::npos) << "once" << trnsim.out;
    EXPECT_EQ(trnsim(run + Arguments{"--fail-on-unwritten"}), 1);
    EXPECT_TRUE(trnsim.err.starts_with("trnsim: vector instruction 1 [tensor_copy ")) << trnsim.err;
    // Between the elements of the instruction, and in no instruction.
    for (const std::uint32_t address : {0x1004u, 0x9000u}) {
        trnsim.prepare = [=](test::FakeMachine& machine) {
            machine.set_unwritten(6, address, isa::Engine::Vector);
        };
        EXPECT_EQ(trnsim(run), 0);
        EXPECT_TRUE(trnsim.err.starts_with("trnsim: warning: vector: reads sbuf[0+0x")) << trnsim.err;
    }
}

TEST(RunCommand, SaysThatANanWasWritten) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run() + Arguments{"--stats", trnsim.path("s.json")};
    const auto error = [&] {
        return nlohmann::json::parse(files::read(trnsim.path("s.json"))).at("numeric_error");
    };
    EXPECT_EQ(trnsim(run + Arguments{"--fail-on-nan"}), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out.find("numeric error"), std::string::npos);
    EXPECT_EQ(error().dump(), R"({"engine":null,"engines":"","pc":null})");
    trnsim.prepare = [](test::FakeMachine& machine) {
        machine.set_numeric_error({.engines = 6, .engine = 1, .pc = 1});
    };
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("completed with numeric error: NaN written, first by vector instruction 1 ["),
              std::string::npos)
        << trnsim.out;
    EXPECT_EQ(error().dump(), R"({"engine":"vector","engines":"vector,scalar","pc":1})");
    EXPECT_EQ(trnsim(run + Arguments{"--fail-on-nan"}), 1);
    EXPECT_EQ(trnsim.err.find("trnsim: completed with numeric error (NaN), first by vector instruction 1 ["),
              0u)
        << trnsim.err;
    EXPECT_EQ(trnsim.out.find("sample on trn1: failed\n"), 0u) << trnsim.out;
    ::setenv("NEURON_FAIL_ON_NAN", "1", 1);
    EXPECT_EQ(trnsim(run), 1);
    ::setenv("NEURON_FAIL_ON_NAN", "0", 1);
    EXPECT_EQ(trnsim(run), 0);
    ::setenv("NEURON_FAIL_ON_NAN", "yes", 1);
    EXPECT_EQ(trnsim(run), 2);
    EXPECT_EQ(trnsim.err, "trnsim: NEURON_FAIL_ON_NAN=yes: expected 0 or 1\n");
    ::unsetenv("NEURON_FAIL_ON_NAN");
}

TEST(RunCommand, WritesNotifications) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run() + Arguments{"--notifications", trnsim.path("n.csv"), "--stats",
                                                          trnsim.path("s.json")};
    trnsim.prepare = [](test::FakeMachine& machine) {
        machine.poke32(0xfffc0000000 + isa::csr::NotifyStatus, 4);
    };
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    const auto log = files::read(trnsim.path("n.csv"));
    EXPECT_EQ(std::string(log.begin(), log.end()), "kind,engine,pc,opcode,begin,end,error,lost\n");
    EXPECT_NE(trnsim.out.find("  notifications      0 records, 0 events dropped\n"), std::string::npos)
        << trnsim.out;
    EXPECT_NE(trnsim.out.find(trnsim.path("n.csv")), std::string::npos);
    const auto statistics = nlohmann::json::parse(files::read(trnsim.path("s.json")));
    EXPECT_EQ(statistics.at("notifications").dump(), R"({"dropped":0,"records":0})");
    EXPECT_EQ(trnsim(trnsim.sample_run() + Arguments{"--stats", trnsim.path("s.json")}), 0) << trnsim.err;
    EXPECT_EQ(nlohmann::json::parse(files::read(trnsim.path("s.json"))).at("notifications").dump(),
              R"({"dropped":null,"records":null})");
    trnsim.prepare = {};
    EXPECT_EQ(trnsim(run), 1);
    EXPECT_EQ(trnsim.err, "trnsim: notification queue: it does not become empty\n");
}

TEST(RunCommand, SaysThatARunIsPerturbed) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run() + Arguments{"--stats", trnsim.path("s.json")};
    const auto seed = [&] {
        return nlohmann::json::parse(files::read(trnsim.path("s.json"))).at("perturb").dump();
    };
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out.find("perturbed"), std::string::npos);
    EXPECT_EQ(seed(), "null");
    EXPECT_EQ(trnsim(run + Arguments{"--perturb", "7"}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("  perturbed          seed 7\n"), std::string::npos) << trnsim.out;
    EXPECT_EQ(seed(), "7");
}

TEST(RunCommand, GivesTheMachineItsThreads) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    EXPECT_EQ(trnsim.threads, 1u);
    EXPECT_EQ(trnsim(run + Arguments{"--threads", "2"}), 0) << trnsim.err;
    EXPECT_EQ(trnsim.threads, 2u);
}

TEST(RunCommand, SaysThatMemoriesStartWithRandomContents) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run() + Arguments{"--stats", trnsim.path("s.json")};
    const auto seed = [&] {
        return nlohmann::json::parse(files::read(trnsim.path("s.json"))).at("random_memory").dump();
    };
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out.find("random memory"), std::string::npos);
    EXPECT_EQ(seed(), "null");
    EXPECT_EQ(trnsim(run + Arguments{"--random-memory", "7"}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("  random memory      seed 7\n"), std::string::npos) << trnsim.out;
    EXPECT_EQ(seed(), "7");
}

TEST(RunCommand, InputsThatAreNotGivenCanBeRandom) {
    test::Session trnsim;
    trnsim.sample_run();
    const auto output = [&](const Arguments& inputs) {
        const Arguments run{"run", trnsim.path("k.neff"), "--output", "y=" + trnsim.path("y.npy")};
        EXPECT_EQ(trnsim(run + inputs), 0) << trnsim.err;
        return npy::read(trnsim.path("y.npy")).data;
    };
    const auto first = output({"--random-inputs", "1"});
    EXPECT_NE(trnsim.out.find("random inputs      a (seed 1)\n"), std::string::npos) << trnsim.out;
    EXPECT_EQ(output({"--random-inputs", "1"}), first);
    EXPECT_NE(output({"--random-inputs", "2"}), first);
    const auto given = output({"--random-inputs", "1", "--input", "a=" + trnsim.path("a.npy")});
    EXPECT_EQ(given, npy::read(trnsim.path("a.npy")).data);
    EXPECT_EQ(trnsim.out.find("random inputs"), std::string::npos);
}

TEST(RunCommand, ProgressIsForTerminalsOnly) {
    test::Session trnsim;
    trnsim.prepare = [](test::FakeMachine& machine) { machine.set_instructions_per_slice(1); };
    const Arguments run = trnsim.sample_run();
    EXPECT_EQ(trnsim(run), 0);
    EXPECT_EQ(trnsim.err, "");
    trnsim.terminal = true;
    EXPECT_EQ(trnsim(run), 0);
    EXPECT_NE(trnsim.err.find("% of the instructions"), std::string::npos);
    EXPECT_EQ(trnsim.err.find('\n'), std::string::npos);
}

TEST(RunCommand, SimulationErrorsExitWith1AndKeepWhatHelpsToFindThem) {
    test::Session trnsim;
    trnsim.prepare = [](test::FakeMachine& machine) {
        machine.fail_core_at(1, 1, isa::Error::IllegalInstruction, 0);
    };
    const Arguments run =
        trnsim.sample_run() + Arguments{"--stats", trnsim.path("s.json"), "--wave", trnsim.path("w.fst")};
    EXPECT_EQ(trnsim(run), 1);
    EXPECT_EQ(trnsim.err,
              "trnsim: chip 0 core 0, vector engine, instruction 1 (halt): illegal instruction\n");
    EXPECT_TRUE(std::filesystem::exists(trnsim.path("s.json")));
    EXPECT_TRUE(std::filesystem::exists(trnsim.path("w.fst")));
    EXPECT_FALSE(std::filesystem::exists(trnsim.path("y.npy")));
    EXPECT_EQ(trnsim.directory.entries(), 6u);
}

TEST(RunCommand, StopsAtTheLongestTime) {
    test::Session trnsim;
    trnsim.prepare = [](test::FakeMachine& machine) { machine.set_instructions_per_slice(1); };
    const Arguments run = trnsim.sample_run();
    EXPECT_EQ(trnsim(run + Arguments{"--max-time", "2ns"}), 1);
    EXPECT_TRUE(trnsim.err.starts_with(
        "trnsim: not done after 2 ns of simulated time\nchip 0 core 0, vector engine: "))
        << trnsim.err;
    EXPECT_EQ(trnsim(run + Arguments{"--max-time", "1 s"}), 0) << trnsim.err;
}

TEST(RunCommand, RoundingComesFromOptionsThenFromTheEnvironment) {
    test::Session trnsim;
    const auto rounding = [&](const Arguments& options) {
        EXPECT_EQ(trnsim(trnsim.sample_run() + Arguments{"--stats", trnsim.path("s.json")} + options), 0)
            << trnsim.err;
        const auto json = nlohmann::json::parse(files::read(trnsim.path("s.json")));
        const bool stochastic = json.at("stochastic_rounding");
        const std::string summary = std::string(stochastic ? "stochastic" : "nearest even") + ", seed " +
                                    std::to_string(json.at("seed").get<std::uint32_t>());
        EXPECT_NE(trnsim.out.find(summary), std::string::npos) << trnsim.out;
        return summary;
    };
    EXPECT_EQ(rounding({}), "nearest even, seed 0");
    EXPECT_EQ(rounding({"--stochastic-rounding"}), "stochastic, seed 0");
    EXPECT_EQ(rounding({"--stochastic-rounding", "--seed", "4294967295"}), "stochastic, seed 4294967295");
    const RoundingEnvironment environment("1", "12");
    EXPECT_EQ(rounding({}), "stochastic, seed 12");
    EXPECT_EQ(rounding({"--seed", "0"}), "stochastic, seed 0");
    EXPECT_EQ(rounding({"--stochastic-rounding=false"}), "nearest even, seed 12");
}

TEST(RunCommand, BadRoundingInTheEnvironmentIsOneLine) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    {
        const RoundingEnvironment environment("yes", "");
        EXPECT_EQ(trnsim(run), 2);
        EXPECT_EQ(trnsim.err, "trnsim: NEURON_RT_STOCHASTIC_ROUNDING_EN=yes: expected 0 or 1\n");
    }
    const RoundingEnvironment environment("", "7x");
    EXPECT_EQ(trnsim(run), 2);
    EXPECT_EQ(
        trnsim.err,
        "trnsim: NEURON_RT_STOCHASTIC_ROUNDING_SEED=7x: expected a whole number from 0 to 4294967295\n");
}

TEST(RunCommand, TheKernelSaysItsConfiguration) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("sample on trn1: done"), std::string::npos) << trnsim.out;
    ASSERT_EQ(trnsim({"kernel", "build", "cast", "--rows", "4", "--cols", "4", "--config", "small8", "-o",
                      trnsim.path("c.neff")}),
              0);
    trnsim({"run", trnsim.path("c.neff"), "--random-inputs", "1"});
    EXPECT_NE(trnsim.out.find("cast on small8: "), std::string::npos) << trnsim.out << trnsim.err;
    neff::Package package = neff::read(trnsim.path("c.neff"));
    package.target.dma_rings = 3;
    neff::write(trnsim.path("c.neff"), package);
    EXPECT_EQ(trnsim({"run", trnsim.path("c.neff"), "--random-inputs", "1"}), 2);
    EXPECT_EQ(
        trnsim.err,
        "trnsim: kernel 'cast' is built for none of the shipped configurations (small16, small32, small64, "
        "small8, trn1), expected --config\n");
}

}  // namespace
}  // namespace trnsim::cli
