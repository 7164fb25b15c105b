// Tests runs that are refused, and files that a run may not use.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/files/files.hpp"
#include "base/npy/npy.hpp"
#include "session.hpp"

namespace trnsim::cli {
namespace {

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
         "no command 'fly'; there are: demo kernel compile customop new run launch check parity wave where "
         "profile "
         "info "
         "disasm "
         "config "
         "regress "
         "sweep nccom-test import bench completion"},
        {{"run"}, "kernel is required"},
        {sound + Arguments{"--bogus"}, "--bogus"},
        {{"run", trnsim.path("none.neff")}, "none.neff: no such file"},
        {{"run", trnsim.path("broken.neff")}, "broken.neff: truncated header: 12 bytes"},
        {sound + Arguments{"--config", "nowhere"}, "nowhere"},
        {sound + Arguments{"--fidelity", "fast", "--wave", trnsim.path("w.fst"), "--wave-scope", "memory"},
         "--wave-scope: wave scope 'memory': fidelity fast does not have it, expected core, tensor, vector, "
         "scalar, gpsimd, sync, all"},
        {sound + Arguments{"--fidelity", "fast", "--perturb", "1"},
         "--perturb: fidelity fast does not have it"},
        {sound + Arguments{"--fidelity", "slow"}, "--fidelity slow: expected rtl or fast"},
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
        {kernel + Arguments{"--output", "y=" + trnsim.path("x.npy:bf16")},
         "x.npy:bf16: found 'bf16' after the file, expected fp32 or nothing"},
        {sound + Arguments{"--output", "a=" + trnsim.path("x.npy")}, "has no output 'a'; its outputs: y"},
        {sound + Arguments{"--stats", trnsim.path("no/such/s.json")}, "cannot write"},
        {sound + Arguments{"--notifications", trnsim.path("no/such/n.csv")}, "cannot write"},
        {sound + Arguments{"--itrace", trnsim.path("no/such/i.log")}, "cannot write"},
        {sound + Arguments{"--itrace-core", "0"}, "--itrace-core: expected --itrace with it"},
        {sound + Arguments{"--itrace", trnsim.path("i.log"), "--itrace-core", "8"},
         "--itrace-core 8: expected a GpSimd core from 0 to "},
        {sound + Arguments{"--itrace", trnsim.path("i.log"), "--itrace-core", "-1"},
         "--itrace-core -1: expected a GpSimd core from 0 to "},
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
    const Arguments kernel{"run", trnsim.path("k.neff")};
    const std::pair<Arguments, const char*> cases[] = {
        {made_up + Arguments{"-1"}, "--random-inputs: found '-1', expected a whole number"},
        {made_up + Arguments{"7x"}, "--random-inputs: found '7x', expected a whole number"},
        {made_up + Arguments{"0x10"}, "--random-inputs: found '0x10', expected a whole number"},
        {made_up + Arguments{"99999999999999999999"}, "expected a whole number"},
        {made_up + Arguments{"18446744073709551616"},
         "--random-inputs: found '18446744073709551616', expected a whole number below 2^64"},
        {{"nccom-test", "allr", "-n", "99999999999"},
         "--iters: found '99999999999', expected whole numbers from 0 to 4294967295"},
        {{"nccom-test", "allr", "--seed", "18446744073709551615"},
         "--seed: found '18446744073709551615', expected whole numbers from 0 to 4294967295"},
        {sound + Arguments{"--wave", trnsim.path("w.fst"), "--wave-scope", "tensor,,vector"},
         "--wave-scope: found 'tensor,,vector', expected a value on each side of ','"},
        {sound + Arguments{"--wave", trnsim.path("w.fst"), "--stats", trnsim.path("w.core.gtkw")},
         "w.core.gtkw: the same file as --stats"},
        {sound + Arguments{"--wave", trnsim.path("w.fst"), "--checkpoint-at", "5us", "--save-checkpoint",
                           trnsim.path("w.core.gtkw")},
         "w.core.gtkw: the same file as --save-checkpoint"},
        {sound + Arguments{"--wave", trnsim.path("w.fst"), "--wave-scope", "tensor", "--trace",
                           trnsim.path("w.tensor.gtkw")},
         "w.tensor.gtkw: the same file as --trace"},
        {sound + Arguments{"--wave-on-error", trnsim.path("w.fst"), "--stats", trnsim.path("w.wave")},
         "w.wave: the same file as --stats"},
        {{"parity", trnsim.path("k.neff"), "--page", trnsim.path("k.neff")},
         "k.neff: the same file as the kernel"},
        {{"parity", trnsim.path("k.neff"), "--page", trnsim.path("no/such/p.md")}, "cannot write"},
        {{"parity", trnsim.path("k.neff"), trnsim.path("none.neff")}, "none.neff: no such file"},
        {{"parity", trnsim.path("k.neff"), "--shrink", trnsim.path("k.neff")}, "k.neff is no folder"},
        {{"parity", trnsim.path("")}, "config.yaml"},
        {made_up + Arguments{""}, "--random-inputs: found '', expected a whole number"},
        {{"demo", "--hidden", "-3"}, "--hidden: found '-3', expected a whole number"},
        {{"sweep", "s.yaml", "--jobs", "-2"}, "--jobs: found '-2', expected a whole number"},
        {{"regress", "l.yaml", "--jobs", "-2"}, "--jobs: found '-2', expected a whole number"},
        {{"regress", "l.yaml", "--jobs", "0"}, "--jobs 0: expected at least 1"},
        {{"run", ""}, "kernel: found nothing, expected a value"},
        {{"wave", trnsim.path("k.neff"), "--at", "-5"}, "--at: found '-5', expected a whole number"},
        {{"wave", trnsim.path("k.neff"), "--lane", "-5"}, "--lane: found '-5', expected a whole number"},
        {{"launch", trnsim.path("k.neff"), "-r", "0"},
         "--ranks: found '0', expected a whole number from 1 to 4096"},
        {kernel + Arguments{"--input", "a=" + std::string(60'000, 'x')}, " bytes left out) ... xxx"},
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
        {sound + Arguments{"--switch-to-rtl-at", "soon"},
         "--switch-to-rtl-at soon: expected a time such as '12 us', or a core cycle"},
        {sound + Arguments{"--switch-to-rtl-at", "-1"}, "--switch-to-rtl-at -1: expected a time"},
        {sound + Arguments{"--checkpoint-at", "5us"}, "--checkpoint-at: expected --save-checkpoint with it"},
        {sound + Arguments{"--save-checkpoint", trnsim.path("c")},
         "--save-checkpoint: expected --checkpoint-at or --switch-to-rtl-at with it"},
        {sound + Arguments{"--switch-to-rtl-at", "5us", "--checkpoint-at", "5us", "--save-checkpoint",
                           trnsim.path("c")},
         "--checkpoint-at: expected no --switch-to-rtl-at with it"},
        {sound + Arguments{"--switch-to-rtl-at", "5us", "--perturb", "1"},
         "--perturb: no checkpoint has it, expected no --switch-to-rtl-at with it"},
        {sound + Arguments{"--switch-to-rtl-at", "5us", "--wave-on-error", trnsim.path("e.fst")},
         "--wave-on-error: expected no --switch-to-rtl-at with it"},
        {kernel + Arguments{"--resume", trnsim.path("none")}, "none: no such file"},
        {kernel + Arguments{"--resume", trnsim.path("a.npy")},
         "a.npy: no checkpoint, expected a file of --save-checkpoint"},
        {sound + Arguments{"--resume", trnsim.path("c")},
         "--input: expected no --resume with it, as the run has begun already"},
        {kernel + Arguments{"--resume", trnsim.path("c"), "--check"},
         "--check: expected no --resume with it"},
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
        {{"--itrace", path("s"), "--stats", path("s")}, "--itrace " + path("s"), "--stats"},
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
    files::write(trnsim.path("server.yaml"), "extends: trn1-4\nname: mine\n");
    std::filesystem::copy(config::find_shipped("networks/one-switch.yaml"), trnsim.path("net.yaml"));
    files::write(trnsim.path("list.yaml"),
                 "config: mine.yaml\ntests: [{ kernel: cast, arguments: { rows: 1, cols: 1 } }]\n");
    const Arguments profile{"profile", path("k.neff")},
        regress{"regress", path("list.yaml"), "-o", path("out")},
        launch{"launch", path("k.neff"), "--ranks", "2", "--random-inputs", "1", "--config"},
        nccom{"nccom-test", "allr", "-r", "4", "-b", "8", "-e", "8", "--config"};
    const std::tuple<Arguments, const char*, const char*, const char*> others[] = {
        {profile, "--json", "k.neff", "the kernel"},
        {profile + Arguments{"--config", path("mine.yaml")}, "--json", "base.yaml", "--config"},
        {profile + Arguments{"--output", "y=" + path("o.npy")}, "--json", "o.npy", "--output y"},
        {launch + Arguments{path("server.yaml")}, "--stats", "server.yaml", "--config"},
        {launch + Arguments{"trn1-4", "--chip", path("mine.yaml")}, "--stats", "base.yaml", "--chip"},
        {nccom + Arguments{path("server.yaml")}, "--report-to-json-file", "server.yaml", "--config"},
        {nccom + Arguments{"trn1-4", "-N", "2", "--network", path("net.yaml")}, "--report-to-json-file",
         "net.yaml", "--network"},
        {regress, "--junit", "base.yaml", "a file of the list"},
        {regress, "--junit", "list.yaml", "the list"},
        {regress, "--junit", "out/results.json", "the results"},
    };
    for (const auto& [arguments, option, file, other] : others) {
        EXPECT_EQ(trnsim(arguments + Arguments{option, path(file)}), 2) << trnsim.err;
        EXPECT_EQ(trnsim.err, fmt::format("trnsim: {} {}: the same file as {}\n", option, path(file), other));
    }
    EXPECT_EQ(trnsim({"kernel", "build", "cast", "--rows", "8", "--cols", "8", "--config", path("mine.yaml"),
                      "-o", path("base.yaml")}),
              2);
    EXPECT_EQ(trnsim.err, "trnsim: -o " + path("base.yaml") + ": the same file as --config\n");
    EXPECT_EQ(trnsim.directory.entries(), 10u) << "nothing was written";
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

}  // namespace
}  // namespace trnsim::cli
