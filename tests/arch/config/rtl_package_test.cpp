#include <gtest/gtest.h>

#include "arch/config/config.hpp"

namespace trnsim::config {
namespace {

TEST(RtlParameters, HoldTheCoreAndNothingElse) {
    Config config = load("small8");
    const std::string before = rtl_parameters(config);
    EXPECT_EQ(
        before,
        "Rows=8\nCols=8\nLanes=8\nSbufBytes=65536\nPsumBytes=16384\nPsumBanks=8\nPsumStrict=1\nEcc="
        "1\nAxiPorts=2\nAxiDataWidth="
        "512\n"
        "Prefetch=32\nFetchBurst=8\nSemaphoreLatency=13\nTensorIssueLatency=190\nTensorUtilisation=869\n"
        "VectorIssueLatency=60\nScalarIssueLatency="
        "220\nVectorDependentLatency=100\nVectorReciprocalNum=2\nVectorReciprocalDen="
        "5\nScalarDependentLatency=200\nGpsimdIssueLatency="
        "116\nGpsimdVlen=512\nTensorClkNum="
        "1\nTensorClkDen=1\n"
        "VectorClkNum=2\nVectorClkDen=5\nScalarClkNum=1\nScalarClkDen=2\nGpsimdClkNum=1\nGpsimdClkDen=2\n"
        "SyncClkNum=1\nSyncClkDen=2\nBusClkNum=1\nBusClkDen=2\n");
    config.name = "other";
    config.hbm.bandwidth *= 2;
    config.core.clock /= 2;
    config.dma.engines = 1;
    EXPECT_EQ(rtl_parameters(config), before);
    config.core.array.rows = 4;
    EXPECT_NE(rtl_parameters(config), before);
}

TEST(RtlPackage, DeclaresEveryParameter) {
    const std::string text = rtl_package(load("trn1"));
    EXPECT_NE(text.find("package cfg_pkg;\n"), std::string::npos);
    EXPECT_NE(text.find("  localparam int unsigned SbufBytes = 196608;"), std::string::npos);
    EXPECT_NE(text.find("  localparam int unsigned VectorClkDen = 5;"), std::string::npos);
    EXPECT_TRUE(text.ends_with("endpackage\n"));
}

}  // namespace
}  // namespace trnsim::config
