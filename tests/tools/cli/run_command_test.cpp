#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "common/sample_package.hpp"
#include "lib/base/files/files.hpp"
#include "lib/neff/neff.hpp"
#include "lib/npy/npy.hpp"
#include "session.hpp"

namespace trnsim::cli {
namespace {

using Arguments = std::vector<std::string>;

Arguments operator+(Arguments a, const Arguments& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

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
    EXPECT_NE(trnsim.out.find("completed with numeric error: NaN written, first by vector pc 1: "),
              std::string::npos)
        << trnsim.out;
    EXPECT_EQ(error().dump(), R"({"engine":"vector","engines":"vector,scalar","pc":1})");
    EXPECT_EQ(trnsim(run + Arguments{"--fail-on-nan"}), 1);
    EXPECT_EQ(trnsim.err, "trnsim: completed with numeric error (NaN)\n");
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

TEST(RunCommand, BadUsageExitsWith2AndOneLine) {
    test::Session trnsim;
    const Arguments sound = trnsim.sample_run();
    const Arguments kernel{"run", trnsim.path("k.neff")};
    const std::string a = "a=" + trnsim.path("a.npy");
    npy::write(trnsim.path("wide.npy"), {npy::Type::F4, {4, 9}, std::vector<std::uint8_t>(144)});
    files::write(trnsim.path("broken.neff"), "not a kernel");
    const std::pair<Arguments, const char*> cases[] = {
        {{}, "A subcommand is required"},
        {{"fly"},
         "no command 'fly'; there are: demo kernel new run check wave profile info disasm config regress "
         "sweep bench completion"},
        {{"run"}, "kernel is required"},
        {sound + Arguments{"--bogus"}, "--bogus"},
        {{"run", trnsim.path("none.neff")}, "none.neff: no such file"},
        {{"run", trnsim.path("broken.neff")}, "broken.neff: truncated header: 12 bytes"},
        {sound + Arguments{"--config", "nowhere"}, "nowhere"},
        {sound + Arguments{"--fidelity", "fast"}, "--fidelity fast: this version has no fast model"},
        {sound + Arguments{"--fidelity", "slow"}, "--fidelity slow: expected rtl"},
        {sound + Arguments{"--seed", "x"}, "--seed x: expected a whole number from 0 to 4294967295"},
        {sound + Arguments{"--seed", "4294967296"}, "--seed 4294967296: expected a whole number"},
        {sound + Arguments{"--seed", "-1"}, "--seed -1: expected a whole number"},
        {sound + Arguments{"--perturb", "-1"}, "--perturb -1: expected a whole number from 0 to 4294967295"},
        {sound + Arguments{"--perturb", "x"}, "--perturb x: expected a whole number"},
        {sound + Arguments{"--perturb", "4294967296"}, "--perturb 4294967296: expected a whole number"},
        {sound + Arguments{"--random-memory", "x"}, "--random-memory x: expected a whole number"},
        {sound + Arguments{"--threads", "0"}, "--threads 0: expected a whole number from 1 to 64"},
        {sound + Arguments{"--threads", "65"}, "--threads 65: expected a whole number from 1 to 64"},
        {sound + Arguments{"--threads", "x"}, "--threads x: expected a whole number from 1 to 64"},
        {{"bench", "rtl-matmul", "--threads", "0"}, "--threads 0: expected a whole number from 1 to 64"},
        {{"regress", "none.yaml", "--threads", "65"}, "--threads 65: expected a whole number from 1 to 64"},
        {sound + Arguments{"--wave", trnsim.path("w.fst"), "--wave-scope", "tensor,tensro"},
         "--wave-scope: unknown wave scope 'tensro'; there are core, tensor, vector, scalar, rounding, "
         "gpsimd, sync, memory, all"},
        {sound + Arguments{"--wave-scope", "tensor"}, "--wave-scope: expected --wave"},
        {sound + Arguments{"--wave-window", "1:2"}, "--wave-window: expected --wave"},
        {sound + Arguments{"--max-time", "5"}, "--max-time 5: expected a time above 0 such as '5 ms'"},
        {sound + Arguments{"--wave", trnsim.path("w.fst"), "--wave-window", "5"},
         "--wave-window 5: expected FROM:TO"},
        {kernel, "kernel 'sample' needs input 'a' of 4x8 fp32"},
        {kernel + Arguments{"--input", "a"}, "--input a: expected NAME=FILE.npy"},
        {kernel + Arguments{"--input", a, "--input", a}, "'a' given twice"},
        {kernel + Arguments{"--input", "a=" + trnsim.path("none.npy")}, "none.npy: no such file"},
        {kernel + Arguments{"--input", "a=" + trnsim.path("k.neff")}, "k.neff: not a .npy file"},
        {kernel + Arguments{"--input", "a=" + trnsim.path("wide.npy")}, "input 'a': shape 4x9, expected 4x8"},
        {sound + Arguments{"--input", "b=" + trnsim.path("a.npy")}, "has no input 'b'; its inputs: a"},
        {sound + Arguments{"--output", "a=" + trnsim.path("x.npy")}, "has no output 'a'; its outputs: y"},
        {sound + Arguments{"--stats", trnsim.path("no/such/s.json")}, "cannot write"},
        {sound + Arguments{"--notifications", trnsim.path("no/such/n.csv")}, "cannot write"},
    };
    for (const auto& [arguments, expected] : cases) {
        EXPECT_EQ(trnsim(arguments), 2) << expected;
        EXPECT_NE(trnsim.err.find(expected), std::string::npos)
            << "expected: " << expected << "\nfound: " << trnsim.err;
        EXPECT_EQ(trnsim.err.substr(0, 8), "trnsim: ");
        EXPECT_EQ(std::ranges::count(trnsim.err, '\n'), 1) << trnsim.err;
        EXPECT_EQ(trnsim.out, "");
    }
    EXPECT_EQ(trnsim.directory.entries(), 4u) << "k.neff, a.npy, wide.npy, broken.neff";
}

TEST(RunCommand, NonsenseIsRefused) {
    test::Session trnsim;
    const Arguments sound = trnsim.sample_run(), made_up{"run", trnsim.path("k.neff"), "--random-inputs"};
    const std::pair<Arguments, const char*> cases[] = {
        {made_up + Arguments{"-1"}, "--random-inputs: found '-1', expected a whole number"},
        {made_up + Arguments{"7x"}, "--random-inputs: found '7x', expected a whole number"},
        {made_up + Arguments{"0x10"}, "--random-inputs: found '0x10', expected a whole number"},
        {made_up + Arguments{"99999999999999999999"}, "expected a whole number"},
        {made_up + Arguments{""}, "--random-inputs: found '', expected a whole number"},
        {{"demo", "--hidden", "-3"}, "--hidden: found '-3', expected a whole number"},
        {{"sweep", "s.yaml", "--jobs", "-2"}, "--jobs: found '-2', expected a whole number"},
        {{"regress", "l.yaml", "--jobs", "-2"}, "--jobs: found '-2', expected a whole number"},
        {{"regress", "l.yaml", "--jobs", "0"}, "--jobs 0: expected at least 1"},
        {{"run", ""}, "kernel: found nothing, expected a value"},
        {sound + Arguments{"--wave", ""}, "--wave: found nothing, expected a value"},
        {sound + Arguments{"--stats", ""}, "--stats: found nothing, expected a value"},
        {sound + Arguments{"--notifications", ""}, "--notifications: found nothing, expected a value"},
        {sound + Arguments{"--config", ""}, "--config: found nothing, expected a value"},
        {sound + Arguments{"--seed", ""}, "--seed: found nothing, expected a value"},
        {{"kernel", "build", "matmul", "-o", ""}, "--output: found nothing, expected a value"},
        {sound + Arguments{"--wave", trnsim.path("w.vcd")}, "w.vcd: expected a name that ends in .fst"},
        {sound + Arguments{"--wave", trnsim.path("w")}, "w: expected a name that ends in .fst"},
        {sound + Arguments{"--wave-on-error", trnsim.path("w.vcd")},
         "w.vcd: expected a name that ends in .fst"},
        {sound + Arguments{"--wave", trnsim.path("w.fst"), "--wave-window", "5us:5us"},
         "--wave-window 5us:5us: the end is not after the beginning"},
        {sound + Arguments{"--wave", trnsim.path("w.fst"), "--wave-window", "7:3"},
         "--wave-window 7:3: the end is not after the beginning"},
    };
    for (const auto& [arguments, expected] : cases) {
        EXPECT_EQ(trnsim(arguments), 2) << expected;
        EXPECT_NE(trnsim.err.find(expected), std::string::npos) << trnsim.err;
        EXPECT_EQ(std::ranges::count(trnsim.err, '\n'), 1) << trnsim.err;
    }
    EXPECT_EQ(trnsim.directory.entries(), 2u) << "k.neff, a.npy";
    EXPECT_EQ(trnsim(made_up + Arguments{"010", "--output", "y=" + trnsim.path("y.npy")}), 0);
    EXPECT_NE(trnsim.out.find("(seed 10)"), std::string::npos) << "not octal: " << trnsim.out;
}

TEST(RunCommand, NoFileHasTwoUses) {
    test::Session trnsim;
    const Arguments sound = trnsim.sample_run();
    bool simulated = false;
    trnsim.prepare = [&](test::FakeMachine&) { simulated = true; };
    files::write(trnsim.path("mine.yaml"), "extends: base.yaml\n");
    std::filesystem::copy(config::resolve("trn1"), trnsim.path("base.yaml"));
    std::filesystem::create_symlink("k.neff", trnsim.path("link"));
    std::filesystem::create_symlink("y.npy", trnsim.path("dangling"));
    std::filesystem::create_symlink("k.neff", trnsim.path("link.fst"));
    const auto path = [&](const char* name) { return trnsim.path(name); };
    const std::tuple<Arguments, std::string, const char*> cases[] = {
        {{"--trace", path("k.neff")}, "--trace " + path("k.neff"), "the kernel"},
        {{"--stats", path("link")}, "--stats " + path("link"), "the kernel"},
        {{"--notifications", path("s"), "--stats", path("s")}, "--notifications " + path("s"), "--stats"},
        {{"--wave", path("link.fst")}, "--wave " + path("link.fst"), "the kernel"},
        {{"--wave-on-error", path("link.fst")}, "--wave-on-error " + path("link.fst"), "the kernel"},
        {{"--stats", path("a.npy")}, "--stats " + path("a.npy"), "--input a"},
        {{"--stats", path("./y.npy")}, "--stats " + path("./y.npy"), "--output y"},
        {{"--stats", path("dangling")}, "--stats " + path("dangling"), "--output y"},
        {{"--trace", path("s"), "--stats", path("s")}, "--stats " + path("s"), "--trace"},
        {{"--wave", path("w.fst"), "--wave-on-error", path("w.fst")},
         "--wave-on-error " + path("w.fst"),
         "--wave"},
        {{"--config", path("mine.yaml"), "--stats", path("mine.yaml")},
         "--stats " + path("mine.yaml"),
         "--config"},
        {{"--config", path("mine.yaml"), "--stats", path("base.yaml")},
         "--stats " + path("base.yaml"),
         "--config"},
    };
    for (const auto& [options, file, other] : cases) {
        EXPECT_EQ(trnsim(sound + options), 2);
        EXPECT_EQ(trnsim.err, "trnsim: " + file + ": the same file as " + other + "\n");
    }
    EXPECT_FALSE(simulated);
    EXPECT_EQ(trnsim({"kernel", "build", "cast", "--rows", "8", "--cols", "8", "--config", path("mine.yaml"),
                      "-o", path("base.yaml")}),
              2);
    EXPECT_EQ(trnsim.err, "trnsim: -o " + path("base.yaml") + ": the same file as --config\n");
    EXPECT_EQ(trnsim.directory.entries(), 7u) << "nothing was written";
}

TEST(RunCommand, WhatIsNoRegularFileIsRefusedBeforeAnythingRuns) {
    test::Session trnsim;
    const Arguments sound = trnsim.sample_run();
    ASSERT_EQ(::mkfifo(trnsim.path("fifo").c_str(), 0600), 0);
    std::filesystem::create_directory(trnsim.path("folder"));
    bool simulated = false;
    trnsim.prepare = [&](test::FakeMachine&) { simulated = true; };
    for (const char* option : {"--trace", "--stats"}) {
        for (const auto& [file, kind] : {std::pair{"fifo", "a FIFO"}, {"folder", "a directory"}}) {
            EXPECT_EQ(trnsim(sound + Arguments{option, trnsim.path(file)}), 2);
            EXPECT_EQ(trnsim.err, "trnsim: " + trnsim.path(file) + ": cannot write: is " + kind +
                                      ", expected a regular file\n");
        }
    }
    EXPECT_FALSE(simulated);
}

TEST(RunCommand, AWaveformThatIsNotWholeIsAnErrorAfterEverythingElse) {
    test::Session trnsim;
    trnsim.prepare = [](test::FakeMachine& machine) { machine.fail_wave("no space"); };
    const Arguments run =
        trnsim.sample_run() + Arguments{"--stats", trnsim.path("s.json"), "--wave", trnsim.path("w.fst")};
    EXPECT_EQ(trnsim(run), 2);
    EXPECT_EQ(trnsim.err, "trnsim: " + trnsim.path("w.fst") + ": cannot write: no space\n");
    EXPECT_EQ(trnsim.directory.entries(), 4u) << "k.neff, a.npy, y.npy, s.json";
}

class RoundingEnvironment {
  public:
    RoundingEnvironment(const char* enable, const char* seed) {
        ::setenv("NEURON_RT_STOCHASTIC_ROUNDING_EN", enable, 1);
        ::setenv("NEURON_RT_STOCHASTIC_ROUNDING_SEED", seed, 1);
    }
    ~RoundingEnvironment() {
        ::unsetenv("NEURON_RT_STOCHASTIC_ROUNDING_EN");
        ::unsetenv("NEURON_RT_STOCHASTIC_ROUNDING_SEED");
    }
};

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

TEST(RunCommand, CheckComparesWithTheInterpreter) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run() + Arguments{"--check"};
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("check              outputs equal to the interpreter's bit for bit, no races"),
              std::string::npos)
        << trnsim.out;
}

TEST(RunCommand, CheckFindsAWrongBit) {
    test::Session trnsim;
    trnsim.prepare = [](test::FakeMachine& machine) { machine.invert_bits(); };
    const Arguments run = trnsim.sample_run();
    std::filesystem::remove(trnsim.path("y.npy"));
    EXPECT_EQ(trnsim(run + Arguments{"--check"}), 1);
    EXPECT_EQ(trnsim.err.find("trnsim: output y: "), 0u) << trnsim.err;
    EXPECT_FALSE(std::filesystem::exists(trnsim.path("y.npy"))) << "wrong bits are no output";
}

TEST(RunCommand, OwnKernelsAreChecked) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("; --no-check leaves it out\n"), std::string::npos) << trnsim.out;
    EXPECT_EQ(trnsim(run + Arguments{"--no-check"}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("  check              none, as --no-check says\n"), std::string::npos)
        << trnsim.out;
    trnsim.prepare = [](test::FakeMachine& machine) { machine.invert_bits(); };
    EXPECT_EQ(trnsim(run), 1);
    EXPECT_EQ(trnsim.err.find("trnsim: output y: 4 of 32 elements differ"), 0u) << trnsim.err;
    EXPECT_NE(trnsim.err.find("; written by transfer 1 'store y'\n"), std::string::npos) << trnsim.err;
    EXPECT_EQ(trnsim(run + Arguments{"--no-check"}), 0) << trnsim.err;
    EXPECT_EQ(trnsim(run + Arguments{"--check", "--no-check"}), 2);
}

TEST(RunCommand, BuiltInKernelsAreCheckedOnDemand) {
    test::Session trnsim;
    ASSERT_EQ(trnsim({"kernel", "build", "cast", "--rows", "4", "--cols", "4", "-o", trnsim.path("c.neff")}),
              0);
    const Arguments run{"run", trnsim.path("c.neff"), "--random-inputs", "1"};
    trnsim(run);  // the machine without time computes nothing
    EXPECT_EQ(trnsim.err.find("differ from the interpreter's"), std::string::npos) << trnsim.err;
    trnsim(run + Arguments{"--check"});
    EXPECT_NE(trnsim.err.find("differ from the interpreter's"), std::string::npos) << trnsim.err;
    neff::Package package = neff::read(trnsim.path("c.neff"));
    package.origin.builder = "0.0.0";
    neff::write(trnsim.path("c.neff"), package);
    trnsim(run);
    EXPECT_NE(trnsim.err.find("differ from the interpreter's"), std::string::npos) << "of another version";
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

TEST(RunCommand, ExpectedOutputsAreCompared) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    std::vector<float> values(32);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    const auto write = [&](const std::string& name, const auto& numbers, npy::Type type) {
        npy::Array array{type, {4, 8}, std::vector<std::uint8_t>(numbers.size() * sizeof numbers[0])};
        std::memcpy(array.data.data(), numbers.data(), array.data.size());
        npy::write(trnsim.path(name), array);
        return "y=" + trnsim.path(name);
    };
    write("a.npy", values, npy::Type::F4);
    const auto expect = [&](const std::string& reference, const Arguments& options = {}) {
        return trnsim(run + Arguments{"--expect", reference} + options);
    };
    EXPECT_EQ(expect(write("r.npy", values, npy::Type::F4)), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("  expected           y as expected (rtol 1e-05, atol 1e-08)\n"),
              std::string::npos)
        << trnsim.out;
    std::vector<double> doubles(values.begin(), values.end());
    EXPECT_EQ(expect(write("d.npy", doubles, npy::Type::F8)), 0) << trnsim.err;
    doubles[9] += 0.5;
    doubles[12] -= 2;
    doubles[20] = NAN;
    const std::string wrong = write("w.npy", doubles, npy::Type::F8);
    EXPECT_EQ(expect(wrong), 1);
    EXPECT_EQ(trnsim.err,
              "trnsim: output y: 3 of 32 elements beyond the tolerance, worst [2, 4]: 20, expected nan "
              "(difference nan, allowed nan)\n");
    EXPECT_TRUE(std::filesystem::exists(trnsim.path("y.npy"))) << "to be looked at";
    doubles[20] = 20;
    write("w.npy", doubles, npy::Type::F8);
    EXPECT_EQ(expect(wrong, {"--rtol", "0", "--atol", "0.25"}), 1);
    EXPECT_EQ(trnsim.err,
              "trnsim: output y: 2 of 32 elements beyond the tolerance, worst [1, 4]: 12, expected 10 "
              "(difference 2, allowed 0.25)\n");
    EXPECT_EQ(expect(wrong, {"--rtol", "0.15", "--atol", "0"}), 1);
    EXPECT_NE(trnsim.err.find("1 of 32 elements beyond"), std::string::npos) << trnsim.err;
    EXPECT_EQ(expect(wrong, {"--rtol", "0.2"}), 0) << trnsim.err;
    EXPECT_EQ(expect(wrong, {"--atol", "2"}), 0) << trnsim.err;
}

TEST(RunCommand, ExpectationsHaveTheOutputsShape) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    npy::write(trnsim.path("r.npy"), {npy::Type::F4, {8, 4}, std::vector<std::uint8_t>(128)});
    npy::write(trnsim.path("v.npy"), {npy::Type::V2, {4, 8}, std::vector<std::uint8_t>(64)});
    const auto error = [&](const Arguments& options) {
        EXPECT_EQ(trnsim(run + options), 2);
        return trnsim.err;
    };
    EXPECT_EQ(error({"--expect", "y=" + trnsim.path("r.npy")}),
              "trnsim: --expect y: shape 8x4, expected 4x8\n");
    EXPECT_EQ(error({"--expect", "y=" + trnsim.path("v.npy")}),
              "trnsim: --expect y: array of <V2, expected numbers or raw fp32\n");
    EXPECT_EQ(error({"--expect", "z=" + trnsim.path("r.npy")}),
              "trnsim: kernel 'sample' has no output 'z'; its outputs: y\n");
    EXPECT_EQ(error({"--rtol", "1"}), "trnsim: --rtol: expected --expect with it\n");
    EXPECT_EQ(error({"--expect", "y=" + trnsim.path("a.npy"), "--atol", "-1"}),
              "trnsim: --atol -1: expected a number from 0\n");
}

TEST(CheckCommand, LooksAtTheKernelAndAtTheBits) {
    test::Session trnsim;
    trnsim.sample_run();
    EXPECT_EQ(trnsim({"check", trnsim.path("k.neff")}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("outputs equal to the interpreter's bit for bit, no races"), std::string::npos)
        << trnsim.out;
    EXPECT_NE(trnsim.out.find("random inputs      a (seed 0)"), std::string::npos) << trnsim.out;
    trnsim.prepare = [](test::FakeMachine& machine) { machine.invert_bits(); };
    EXPECT_EQ(trnsim({"check", trnsim.path("k.neff")}), 1);
    EXPECT_NE(trnsim.err.find("differ from the interpreter's"), std::string::npos) << trnsim.err;
    EXPECT_EQ(trnsim({"check", trnsim.path("k.neff"), "--no-rtl"}), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out,
              trnsim.path("k.neff") +
                  ": no races, deadlocks or reads of unwritten bytes (orders 1, 2); not run on the RTL\n");
}

TEST(CheckCommand, NamesTheLinesOfARace) {
    test::Session trnsim;
    trnsim.sample_run();
    neff::Package package = test::sample_package_with_sources();
    package.programs[static_cast<std::size_t>(isa::Engine::Sync)][1] = isa::Instruction(isa::Opcode::Nop);
    neff::write(trnsim.path("k.neff"), package);
    EXPECT_EQ(trnsim({"check", trnsim.path("k.neff")}), 1);
    EXPECT_EQ(trnsim.out, "");
    EXPECT_NE(trnsim.err.find("transfer 1 'store y' at kernel.cpp:15: race: a read of sbuf["),
              std::string::npos)
        << trnsim.err;
    EXPECT_NE(trnsim.err.find("transfer 0 'load a' at kernel.cpp:12\n"), std::string::npos) << trnsim.err;
    EXPECT_EQ(std::ranges::count(trnsim.err, '\n'), 1) << "once, not once a DMA engine: " << trnsim.err;
}

TEST(CheckCommand, NamesTheLineOfADeadlock) {
    test::Session trnsim;
    trnsim.sample_run();
    neff::Package package = test::sample_package_with_sources();
    package.programs[static_cast<std::size_t>(isa::Engine::Vector)][0].set(isa::field::WaitValue, 17);
    neff::write(trnsim.path("k.neff"), package);
    EXPECT_EQ(trnsim({"check", trnsim.path("k.neff"), "--no-rtl"}), 1);
    EXPECT_NE(trnsim.err.find(": deadlock: vector instruction 0 [event_semaphore wait S[3]>=17] at "
                              "lib/helper.hpp:7 with S[3]=16;"),
              std::string::npos)
        << trnsim.err;
}

TEST(RunCommand, CheckFindsAMissingWait) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    neff::Package package = test::sample_package();
    package.programs[static_cast<std::size_t>(isa::Engine::Sync)][1] = isa::Instruction(isa::Opcode::Nop);
    neff::write(trnsim.path("k.neff"), package);
    EXPECT_EQ(trnsim(run + Arguments{"--no-check"}), 0) << "nothing looks";
    EXPECT_EQ(trnsim(run + Arguments{"--check"}), 1);
    EXPECT_EQ(trnsim.err.find("trnsim: check of " + trnsim.path("k.neff") + ": qSyncIO1 on DMA engine"), 0u)
        << trnsim.err;
}

TEST(CommandLine, WhatIsMisspeltIsSuggested) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    EXPECT_EQ(trnsim({"rnu"}), 2);
    EXPECT_EQ(
        trnsim.err.find("trnsim: no command 'rnu', did you mean 'run'?; there are: demo kernel new run "), 0u)
        << trnsim.err;
    EXPECT_EQ(trnsim({"simulate"}), 2);
    EXPECT_EQ(trnsim.err.find("did you mean"), std::string::npos) << trnsim.err;
    EXPECT_EQ(trnsim({"kernel", "bild"}), 2);
    EXPECT_EQ(trnsim.err, "trnsim: no command 'bild', did you mean 'build'?; there are: list build\n");
    EXPECT_EQ(trnsim(run + Arguments{"--statistic", "s.json", "--whatever=3"}), 2);
    EXPECT_EQ(trnsim.err,
              "trnsim: trnsim run: no option '--statistic', 's.json' was not expected, no option "
              "'--whatever'\n");
    EXPECT_EQ(trnsim(run + Arguments{"--trce=t.json", "--wave-scop", "tensor"}), 2);
    EXPECT_EQ(trnsim.err,
              "trnsim: trnsim run: no option '--trce', did you mean '--trace'?, no option '--wave-scop', "
              "did you mean '--wave-scope'?, 'tensor' was not expected\n");
}

TEST(CommandLine, QuietAndVerbose) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    EXPECT_EQ(trnsim(run + Arguments{"-q"}), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out + trnsim.err, "");
    EXPECT_TRUE(std::filesystem::exists(trnsim.path("y.npy")));
    EXPECT_EQ(trnsim(Arguments{"--quiet"} + run), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out, "");
    EXPECT_EQ(trnsim({"disasm", trnsim.path("k.neff"), "-q"}), 0);
    EXPECT_NE(trnsim.out, "") << "that is a result";
    trnsim.terminal = true;
    EXPECT_EQ(trnsim(run + Arguments{"-q"}), 0);
    EXPECT_EQ(trnsim.err, "") << "no progress";
    trnsim.terminal = false;
    trnsim.prepare = [](test::FakeMachine& machine) { machine.invert_bits(); };
    EXPECT_EQ(trnsim(run + Arguments{"-q"}), 1);
    EXPECT_NE(trnsim.err, "") << "errors are said";
    trnsim.prepare = {};
    EXPECT_EQ(trnsim(run + Arguments{"-v"}), 0) << trnsim.err;
    EXPECT_NE(
        trnsim.out.find("k.neff: kernel 'sample', not built in, not made by trnsim, without source lines\n"),
        std::string::npos)
        << trnsim.out;
    EXPECT_NE(trnsim.out.find("configuration trn1: "), std::string::npos) << trnsim.out;
    EXPECT_EQ(trnsim(run + Arguments{"-q", "-v"}), 2);
}

TEST(CommandLine, VariablesOfTheNeuronRuntimeAreNotPassedOver) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    ::setenv("NEURON_RT_VISIBLE_CORES", "0-3", 1);
    ::setenv("NEURON_RT_EXEC_TIMEOUT", "9", 1);
    EXPECT_EQ(trnsim(run), 0);
    EXPECT_EQ(trnsim.err,
              "trnsim: set, but without effect here: NEURON_RT_EXEC_TIMEOUT, NEURON_RT_VISIBLE_CORES\n");
    EXPECT_EQ(trnsim(run + Arguments{"-q"}), 0);
    EXPECT_EQ(trnsim.err, "");
    ::unsetenv("NEURON_RT_VISIBLE_CORES");
    ::unsetenv("NEURON_RT_EXEC_TIMEOUT");
    const RoundingEnvironment known("0", "7");
    EXPECT_EQ(trnsim(run), 0);
    EXPECT_EQ(trnsim.err, "");
}

TEST(CommandLine, OutputsCanBeWrittenAsFp32) {
    test::Session trnsim;
    ASSERT_EQ(trnsim({"kernel", "build", "cast", "--rows", "4", "--cols", "4", "-o", trnsim.path("c.neff")}),
              0);
    const Arguments run{"run", trnsim.path("c.neff"), "--random-inputs", "1", "--output"};
    ASSERT_EQ(trnsim(run + Arguments{"y=" + trnsim.path("raw.npy")}), 0) << trnsim.err;
    ASSERT_EQ(trnsim(run + Arguments{"y=" + trnsim.path("y.npy") + ":fp32"}), 0) << trnsim.err;
    const npy::Array raw = npy::read(trnsim.path("raw.npy")), wide = npy::read(trnsim.path("y.npy"));
    EXPECT_EQ(raw.type, npy::Type::V2);
    ASSERT_EQ(wide.type, npy::Type::F4);
    EXPECT_EQ(wide.shape, raw.shape);
    for (std::size_t i = 0; i < 16; ++i) {
        EXPECT_EQ(wide.data[4 * i + 2], raw.data[2 * i]) << "bf16 is the upper half of fp32";
        EXPECT_EQ(wide.data[4 * i + 3], raw.data[2 * i + 1]);
    }
    ASSERT_EQ(trnsim({"kernel", "build", "cast", "--rows", "4", "--cols", "4", "--dtype", "int8", "-o",
                      trnsim.path("c.neff")}),
              0);
    EXPECT_EQ(trnsim(run + Arguments{"y=" + trnsim.path("y.npy") + ":float32"}), 2);
    EXPECT_EQ(trnsim.err,
              "trnsim: output 'y': i8 is not converted to fp32, expected a floating-point type\n");
}

TEST(RunCommand, HelpAndVersion) {
    test::Session trnsim;
    EXPECT_EQ(trnsim({"--help"}), 0);
    EXPECT_NE(trnsim.out.find("disasm"), std::string::npos);
    EXPECT_EQ(trnsim({"run", "--help"}), 0);
    EXPECT_NE(trnsim.out.find("--wave-window"), std::string::npos);
    EXPECT_EQ(trnsim({"--version"}), 0);
    EXPECT_EQ(trnsim.out.substr(0, 7), "trnsim ");
}

}  // namespace
}  // namespace trnsim::cli
