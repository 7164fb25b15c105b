#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
    EXPECT_NE(trnsim.out.find("which python -m trnsim.bench NAME runs:\n  nki-overhead "), std::string::npos);
}

}  // namespace
}  // namespace trnsim::bench
