#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/bench/benchmark.hpp"
#include "tools/cli/session.hpp"

namespace trnsim::bench {
namespace {

TEST(BenchCommand, PrintsFigureReferenceAndRatio) {
    test::Session trnsim;
    EXPECT_EQ(trnsim({"bench", "kernel-load"}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("kernel-load"), std::string::npos);
    EXPECT_NE(trnsim.out.find(" x "), std::string::npos);
    EXPECT_EQ(trnsim({"bench", "kernel-load", "--json"}), 0);
    const auto results = nlohmann::json::parse(trnsim.out);
    ASSERT_EQ(results.size(), 1u);
    EXPECT_GT(results[0].at("value").get<double>(), 0);
    EXPECT_NEAR(results[0].at("ratio").get<double>(),
                results[0].at("value").get<double>() / results[0].at("reference").get<double>(), 1e-9);
}

TEST(BenchCommand, FidelityIsForBenchmarksOfAnyCore) {
    test::Session trnsim;
    EXPECT_EQ(trnsim({"bench", "published", "kernel-load", "--fidelity", "rtl"}), 2);
    EXPECT_EQ(trnsim.err, "trnsim: --fidelity: benchmark kernel-load has a core of its own, expected none\n");
    EXPECT_EQ(trnsim({"bench", "published", "--fidelity", "slow"}), 2);
    EXPECT_EQ(trnsim.err, "trnsim: --fidelity slow: expected rtl or fast\n");
}

TEST(BenchCommand, ANameIsThatOfABenchmarkOrOfAGroup) {
    test::Session trnsim;
    EXPECT_EQ(trnsim({"bench", "dma", "--json"}), 0) << trnsim.err;
    const auto results = nlohmann::json::parse(trnsim.out);
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[0].at("name"), "dma-stream");
    EXPECT_EQ(results[1].at("name"), "dma-cast");
    EXPECT_EQ(trnsim({"bench", "kernel-load", "--json"}), 0);
    EXPECT_EQ(nlohmann::json::parse(trnsim.out).size(), 1u);
    EXPECT_EQ(trnsim({"bench", "kern"}), 2);
}

TEST(BenchCommand, UnknownNamesAreBadUsage) {
    test::Session trnsim;
    EXPECT_EQ(trnsim({"bench", "nothing"}), 2);
    EXPECT_NE(trnsim.err.find("no benchmark 'nothing'; there are: rtl-matmul"), std::string::npos);
    EXPECT_EQ(trnsim({"bench", "--help"}), 0);
    for (const Benchmark& benchmark : benchmarks()) {
        EXPECT_NE(trnsim.out.find(benchmark.name), std::string::npos) << benchmark.name;
    }
    EXPECT_NE(trnsim.out.find("as by python -m trnsim.bench NAME:\n  nki-overhead "), std::string::npos);
}

// A script that takes the place of the interpreter: it has the package or not, and its benchmark fails or not.
std::string interpreter(const test::Session& trnsim, const std::string& package,
                        const std::string& benchmark) {
    const std::string path = trnsim.path("a python");
    std::ofstream(path) << "#!/bin/sh\nif [ \"$1\" = -c ]; then exit " << package
                        << "; fi\necho \"$*\"\nexit " << benchmark << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

TEST(BenchCommand, RunsThoseOfThePythonPackage) {
    test::Session trnsim;
    ::setenv("TRNSIM_PYTHON", interpreter(trnsim, "0", "0").c_str(), 1);
    EXPECT_EQ(trnsim({"bench", "nki-overhead", "kernel-load"}), 0) << trnsim.err;
    EXPECT_TRUE(trnsim.out.starts_with("kernel-load")) << trnsim.out;
    EXPECT_TRUE(trnsim.out.ends_with("\n-u -m trnsim.bench nki-overhead\n")) << trnsim.out;
    EXPECT_EQ(trnsim({"bench", "nki-overhead", "--json"}), 2);
    EXPECT_EQ(trnsim.err, "trnsim: --json: benchmark nki-overhead prints text, expected none that does\n");
    EXPECT_EQ(trnsim({"bench", "nki-overhead", "--fidelity", "fast"}), 2);
    EXPECT_EQ(trnsim.err,
              "trnsim: --fidelity: benchmark nki-overhead has a core of its own, expected none\n");
    ::setenv("TRNSIM_PYTHON", interpreter(trnsim, "0", "1").c_str(), 1);
    EXPECT_EQ(trnsim({"bench", "nki-overhead"}), 1);
    EXPECT_EQ(trnsim.err, "trnsim: benchmark nki-overhead: it failed, as it says above\n");
    const std::string none = interpreter(trnsim, "1", "0");
    ::setenv("TRNSIM_PYTHON", none.c_str(), 1);
    EXPECT_EQ(trnsim({"bench", "nki-overhead"}), 1);
    EXPECT_EQ(trnsim.err,
              "trnsim: benchmark nki-overhead: " + none +
                  ": found no package trnsim, expected it (docs/python.md) or another interpreter "
                  "in TRNSIM_PYTHON\n");
    ::unsetenv("TRNSIM_PYTHON");
}

TEST(BenchCommand, HandsOptionsToABenchmarkOfThePythonPackage) {
    test::Session trnsim;
    ::setenv("TRNSIM_PYTHON", interpreter(trnsim, "0", "0").c_str(), 1);
    EXPECT_EQ(trnsim({"bench", "silicon"}), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out, "-u -m trnsim.bench silicon --quiet\n");
    EXPECT_EQ(trnsim({"bench", "silicon", "--json", "--full", "--only", "a b,*", "--kernels=-d"}), 0);
    EXPECT_EQ(trnsim.out, "-u -m trnsim.bench silicon --kernels=-d --only=a b,* --full --json --quiet\n");
    for (const std::string other : {"kernel-load", "nki-overhead"}) {
        EXPECT_EQ(trnsim({"bench", other, "--only", "a"}), 2);
        EXPECT_EQ(trnsim.err, "trnsim: --only: expected benchmark silicon and no other\n");
        EXPECT_EQ(trnsim({"bench", "silicon", other, "--full"}), 2);
        EXPECT_EQ(trnsim.err, "trnsim: --full: expected benchmark silicon and no other\n");
    }
    EXPECT_EQ(trnsim({"bench", "--keys", "a"}), 2);
    EXPECT_EQ(trnsim.err, "trnsim: --keys: expected benchmark silicon and no other\n");
    EXPECT_EQ(trnsim({"bench", "silicon", "kernel-load", "--json"}), 2);
    EXPECT_EQ(trnsim.err, "trnsim: --json: benchmark silicon beside others, expected it alone\n");
    trnsim.terminal = true;
    EXPECT_EQ(trnsim({"bench", "silicon"}), 0);
    EXPECT_EQ(trnsim.out, "-u -m trnsim.bench silicon\n");
    EXPECT_EQ(trnsim({"-q", "bench", "silicon"}), 0);
    EXPECT_EQ(trnsim.out, "-u -m trnsim.bench silicon --quiet\n");
    trnsim.terminal = false;
    // Bad input keeps its code, and has had its line.
    ::setenv("TRNSIM_PYTHON", interpreter(trnsim, "0", "2").c_str(), 1);
    EXPECT_EQ(trnsim({"bench", "silicon"}), 2);
    EXPECT_EQ(trnsim.err, "");
    ::unsetenv("TRNSIM_PYTHON");
}

}  // namespace
}  // namespace trnsim::bench
