// Tests `trnsim import`: files of other tools become files that other commands take.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files/files.hpp"
#include "session.hpp"

namespace trnsim::cli {
namespace {

class ImportCommand : public testing::Test {
  protected:
    void write(const std::string& name, const std::string& text) const {
        files::write(trnsim.path(name), text);
    }

    test::Session trnsim;
};

TEST_F(ImportCommand, ListsBecomeSweeps) {
    write("net.csv", "Layer,M,N,K,\nfc1,8,12,16,\nfc2,8,4,12,\n");
    ASSERT_EQ(trnsim({"import", "scale-sim", trnsim.path("net.csv"), "-o", trnsim.path("s.yaml"), "--base",
                      "small16", "--dtype", "fp32"}),
              0)
        << trnsim.err;
    EXPECT_NE(trnsim.out.find("2 products; trnsim sweep "), std::string::npos) << trnsim.out;
    ASSERT_EQ(trnsim({"sweep", trnsim.path("s.yaml"), "--plan"}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("0,matmul,fc1,"), std::string::npos) << trnsim.out;
    EXPECT_NE(trnsim.out.find("M=8 K=12 N=4 dtype=fp32"), std::string::npos) << trnsim.out;

    write("gemm.h", "set = {\n make_tuple(3, 4, 5, false, true)\n};\n");
    ASSERT_EQ(trnsim({"import", "deepbench", trnsim.path("gemm.h"), "-o", trnsim.path("d.yaml")}), 0)
        << trnsim.err;
    ASSERT_EQ(trnsim({"sweep", trnsim.path("d.yaml"), "--plan"}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("M=3 K=5 N=4 dtype=bf16 ta=0 tb=1"), std::string::npos) << trnsim.out;
}

TEST_F(ImportCommand, NothingIsWrittenForABadFile) {
    write("bad.csv", "Layer,M,N,K,\nfc1,8,x,16,\n");
    EXPECT_EQ(trnsim({"import", "scale-sim", trnsim.path("bad.csv"), "-o", trnsim.path("s.yaml")}), 2);
    EXPECT_EQ(trnsim.err,
              "trnsim: " + trnsim.path("bad.csv") + ":2: N: found 'x', expected a whole number from 1\n");
    EXPECT_FALSE(std::filesystem::exists(trnsim.path("s.yaml")));
    EXPECT_EQ(trnsim({"import", "scale-sim", trnsim.path("bad.csv"), "-o", trnsim.path("bad.csv")}), 2);
    EXPECT_NE(trnsim.err.find("bad.csv"), std::string::npos);
}

// What trnsim would refuse later is refused now, at its place.
TEST_F(ImportCommand, NoSweepIsWrittenThatCannotRun) {
    write("net.csv", "Layer,M,N,K,\nfc1,8,12,16,\n");
    write("huge.csv", "Layer,M,N,K,\nfc1,8,12,16,\nfc2,99999999,2,3,\n");
    write("conv.h", "std::make_tuple(4000000000, 4000000000, 1, 4000000000, 1, 1, 1, 0, 0, 1, 1)\n");
    const auto refusal = [&](const char* format, const std::string& file, const Arguments& options) {
        const Arguments all{"import", format, trnsim.path(file), "-o", trnsim.path("s.yaml")};
        EXPECT_EQ(trnsim(all + options), 2) << file;
        EXPECT_FALSE(std::filesystem::exists(trnsim.path("s.yaml")));
        return trnsim.err;
    };
    for (const char* base : {"nosuch", "trn1-4"})
        EXPECT_TRUE(
            refusal("scale-sim", "net.csv", {"--base", base})
                .starts_with("trnsim: --base: configuration '" + std::string(base) + "' is not known"))
            << trnsim.err;
    EXPECT_TRUE(refusal("scale-sim", "net.csv", {"--dtype", "foo"})
                    .starts_with("trnsim: --dtype: matmul: dtype = 'foo'"))
        << trnsim.err;
    EXPECT_EQ(refusal("deepbench", "conv.h", {"--fidelity", "bar"}),
              "trnsim: --fidelity bar: expected rtl or fast\n");
    EXPECT_TRUE(refusal("scale-sim", "huge.csv", {})
                    .starts_with("trnsim: " + trnsim.path("huge.csv:3: matmul: M = '99999999'")))
        << trnsim.err;
    EXPECT_TRUE(
        refusal("deepbench", "conv.h", {}).starts_with("trnsim: " + trnsim.path("conv.h:1: matmul: M = '")))
        << "the product does not wrap: " << trnsim.err;
}

TEST_F(ImportCommand, PathsAreThoseOfTheOutput) {
    write("net.csv", "Layer,M,N,K,\nfc1,8,12,16,\n");
    write("mine.yaml", "extends: small16\nname: mine\n");
    std::filesystem::create_directories(trnsim.path("a b"));
    ASSERT_EQ(trnsim({"import", "scale-sim", trnsim.path("net.csv"), "-o", trnsim.path("a b/s.yaml"),
                      "--base", trnsim.path("mine.yaml")}),
              0)
        << trnsim.err;
    EXPECT_NE(trnsim.out.find("trnsim sweep '" + trnsim.path("a b/s.yaml") + "' -o"), std::string::npos)
        << trnsim.out;
    EXPECT_EQ(trnsim({"sweep", trnsim.path("a b/s.yaml"), "--plan"}), 0) << trnsim.err;
}

TEST_F(ImportCommand, NoServerIsWrittenThatCannotBe) {
    const auto refusal = [&](const std::string& network, const std::string& system) {
        write("net.yml", "topology: [Ring]\nnpus_count: [4]\n" + network);
        write("sys.json", system);
        EXPECT_EQ(trnsim({"import", "astra-sim", trnsim.path("net.yml"), "--system", trnsim.path("sys.json"),
                          "-o", trnsim.path("server.yaml")}),
                  2)
            << network << system;
        EXPECT_FALSE(std::filesystem::exists(trnsim.path("server.yaml")));
        EXPECT_EQ(trnsim.err.find(".partial"), std::string::npos) << trnsim.err;
        return trnsim.err;
    };
    const std::string net = "trnsim: " + trnsim.path("net.yml"), sys = "trnsim: " + trnsim.path("sys.json");
    EXPECT_EQ(refusal("bandwidth: [24]\nlatency: [0]\n", "{}"),
              net + ":4:10: links.latency: found '0 fs', expected 1 ns to 1 ms\n");
    EXPECT_EQ(refusal("bandwidth: [24]\nlatency: [0.5]\n", "{}"),
              net + ":4:10: links.latency: found '500 ps', expected 1 ns to 1 ms\n");
    EXPECT_EQ(refusal("bandwidth: [50000]\nlatency: [9]\n", "{}"),
              net + ":3:12: links.lane_rate: found '3.125 TB/s', expected 1 MB/s to 1 TB/s\n");
    EXPECT_EQ(refusal("bandwidth: [24]\nlatency: [9]\n", "{\"endpoint-delay\": 2000000}"),
              sys + ":1:20: links.endpoint_time: found '2 ms', expected 0 fs to 1 ms\n");
    EXPECT_EQ(refusal("bandwidth: [24]\nlatency: [9]\n", "{\"endpoint-delay\": -3}"),
              sys + ":1:20: endpoint-delay: found '-3', expected a number of ns from 0 to 10^9\n");
    EXPECT_EQ(refusal("bandwidth: [0]\nlatency: [9]\n", "{}"),
              net + ":3:12: bandwidth: found '0', expected a number of GB/s above 0, at most 10^9\n");
}

TEST_F(ImportCommand, LongValuesAreCut) {
    write("long.csv", "Layer,M,N,K,\nfc1," + std::string(60'000, 'x') + ",12,16,\n");
    EXPECT_EQ(trnsim({"import", "scale-sim", trnsim.path("long.csv"), "-o", trnsim.path("s.yaml")}), 2);
    EXPECT_LT(trnsim.err.size(), 2500u);
    EXPECT_NE(trnsim.err.find("long.csv:2: M: found 'xxx"), std::string::npos);
    EXPECT_NE(trnsim.err.find("bytes left out"), std::string::npos);
}

TEST_F(ImportCommand, NetworksBecomeServers) {
    write("net.yml", "topology: [Ring]\nnpus_count: [3]\nbandwidth: [24]\nlatency: [200]\n");
    write("sys.json", "{\"endpoint-delay\": 15, \"local-mem-bw\": 50}");
    ASSERT_EQ(trnsim({"import", "astra-sim", trnsim.path("net.yml"), "--system", trnsim.path("sys.json"),
                      "-o", trnsim.path("server.yaml")}),
              0)
        << trnsim.err;
    EXPECT_NE(trnsim.out.find("without a meaning here: local-mem-bw"), std::string::npos) << trnsim.out;
    ASSERT_EQ(trnsim({"nccom-test", "allr", "-r", "6", "-b", "1K", "-e", "1K", "-c", "random", "--config",
                      trnsim.path("server.yaml")}),
              0)
        << trnsim.err;
}

}  // namespace
}  // namespace trnsim::cli
