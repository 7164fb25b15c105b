// Tests the common behaviour of all commands.
#include <gtest/gtest.h>

#include "base/npy/npy.hpp"
#include "session.hpp"

namespace trnsim::cli {
namespace {

TEST(CommandLine, WhatIsMisspeltIsSuggested) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    EXPECT_EQ(trnsim({"rnu"}), 2);
    EXPECT_EQ(trnsim.err.find("trnsim: no command 'rnu', did you mean 'run'?; there are: demo kernel compile "
                              "customop new run "),
              0u)
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

TEST(CommandLine, ValuesOutOfRangeSayTheRange) {
    test::Session trnsim;
    trnsim.sample_run();
    EXPECT_EQ(trnsim({"launch", trnsim.path("k.neff"), "-r", "0"}), 2);
    EXPECT_EQ(trnsim.err, "trnsim: --ranks: found '0', expected a whole number from 1 to 4096\n");
    EXPECT_EQ(trnsim({"nccom-test", "allr", "-r", "2", "--config", "trn1-4", "--cut", "0.E@3us..1us"}), 2);
    EXPECT_EQ(trnsim.err, "trnsim: --cut 0.E@3us..1us: found an end at 1 us, expected one after 3 us\n");
    EXPECT_EQ(trnsim({"nccom-test", "allr", "-r", "2", "--config", "trn1-4", "--cut", "0.W@3us"}), 2);
    EXPECT_NE(trnsim.err.find("; chip 0 has 0."), std::string::npos) << trnsim.err;
}

// What the user gives may have any length; messages do not.
TEST(CommandLine, MessagesAreCut) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    const std::string name(60'000, 'n');
    for (const Arguments& arguments :
         {run + Arguments{"--output", "y=" + name}, Arguments{"run", name}, Arguments{"config", "show", name},
          Arguments{"kernel", "build", "matmul", "--arg", name, "-o", "k"}, Arguments{name},
          Arguments{"run", "--" + name}}) {
        EXPECT_EQ(trnsim(arguments), 2);
        EXPECT_TRUE(trnsim.err.starts_with("trnsim: ")) << trnsim.err.substr(0, 200);
        EXPECT_LT(trnsim.err.size(), 2500u) << trnsim.err.substr(0, 200);
        EXPECT_EQ(trnsim.err.find("filesystem error"), std::string::npos) << trnsim.err.substr(0, 200);
    }
}

TEST(CommandLine, TheAnalysisOfSweepsIsChecked) {
    test::Session trnsim;
    const auto pareto = [&](const std::string& metrics) {
        EXPECT_EQ(trnsim({"sweep", "none.yaml", "--pareto", metrics}), 2) << metrics;
        return trnsim.err;
    };
    EXPECT_EQ(pareto("time,time"), "trnsim: --pareto: found time twice, expected two metrics\n");
    EXPECT_EQ(pareto("time"), "trnsim: --pareto: found 'time', expected two metrics, such as time,area\n");
    EXPECT_NE(trnsim({"sweep", "none.yaml", "--pareto", "time,area", "--pareto", "time,energy"}), 0);
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
