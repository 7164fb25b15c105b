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
