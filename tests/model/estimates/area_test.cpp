#include "model/estimates/area.hpp"

#include <gtest/gtest.h>

#include "sample.hpp"

namespace trnsim::estimates {
namespace {

TEST(Predict, IsTheLineThroughThePoints) {
    const BlockTable block{"m", "partitions", {{4, 100, 10, 50, 7}, {8, 180, 14, 40, 7}}, {}};
    EXPECT_EQ(predict(block, 4).gates, 100);
    EXPECT_EQ(predict(block, 8).gates, 180);
    EXPECT_EQ(predict(block, 16).gates, 340);
    EXPECT_EQ(predict(block, 16).flip_flop_bits, 22);
    EXPECT_EQ(predict(block, 16).memory_bits, 7);
    EXPECT_EQ(predict(block, 128).cells, 0) << "never below nothing";
}

TEST(Predict, IsProportionalToASinglePoint) {
    const BlockTable block{"m", "partitions", {{4, 100, 10, 50, 8}}, {}};
    EXPECT_EQ(predict(block, 4).gates, 100);
    EXPECT_EQ(predict(block, 128).gates, 3200);
    EXPECT_EQ(predict(block, 2).memory_bits, 4);
}

TEST(EstimateArea, AddsTheBlocksOfAConfiguration) {
    const Area area = estimate_area(test::estimate_config(), test::estimate_tables().area);
    const struct {
        const char* name;
        double copies, gates, sram_bits;
    } expected[] = {
        {"pe_row", 8, 8 * 180, 0},
        {"psum_port", 2, 2 * 40, 0},
        {"axi_port", 3, 3 * 400, 0},  // two ports and the sequencers' own
        {"control", 1, 1000, 320},    // 10 bits an instruction, 32 of them
        {"tensor", 1, 250, 7},
        {"vector", 1, 4000, 0},
        {"scalar", 1, 1100, 0},
        {"skew", 1, (28 * 26 + 6 * 32) * 5, 0},  // 7 * 8 / 2 operands, 3 * 4 / 2 sums
        {"sbuf", 1, 0, 16.0 * 64 * 1024 * 8},
        {"psum", 1, 0, 16.0 * 16 * 1024 * 8},
    };
    ASSERT_EQ(area.blocks.size(), std::size(expected));
    double gates = 0, bits = 0;
    for (std::size_t b = 0; b < area.blocks.size(); ++b) {
        EXPECT_EQ(area.blocks[b].name, expected[b].name);
        EXPECT_EQ(area.blocks[b].copies, expected[b].copies) << expected[b].name;
        EXPECT_EQ(area.blocks[b].gates, expected[b].gates) << expected[b].name;
        EXPECT_EQ(area.blocks[b].sram_bits, expected[b].sram_bits) << expected[b].name;
        gates += expected[b].gates;
        bits += expected[b].sram_bits;
    }
    EXPECT_EQ(area.gates, gates);
    EXPECT_EQ(area.sram_bits, bits);
    EXPECT_DOUBLE_EQ(area.logic_mm2, gates / 1e6);
    EXPECT_DOUBLE_EQ(area.sram_mm2, bits / 10e6);
    EXPECT_DOUBLE_EQ(area.mm2(), area.logic_mm2 + area.sram_mm2);
}

TEST(EstimateArea, GrowsWithWhatAConfigurationGrows) {
    const AreaTable table = load_tables().area;
    const config::Config base = config::load("small16");
    const auto more = [&](auto change) {
        config::Config config = base;
        change(config);
        const Area before = estimate_area(base, table), after = estimate_area(config, table);
        return after.mm2() > before.mm2();
    };
    EXPECT_TRUE(more([](config::Config& c) { c.core.array.rows *= 2; }));
    EXPECT_TRUE(more([](config::Config& c) { c.core.array.columns *= 2; }));
    EXPECT_TRUE(more([](config::Config& c) { c.core.partitions *= 2; }));
    EXPECT_TRUE(more([](config::Config& c) { c.core.sbuf_partition *= 2; }));
    EXPECT_TRUE(more([](config::Config& c) { c.core.bus.ports += 1; }));
    EXPECT_FALSE(more([](config::Config& c) { c.hbm.bandwidth *= 2; })) << "outside of the core";
}

// Checks the statements of docs/estimates.md about the points that the lines were not fitted to.
TEST(ShippedTable, PredictsThePointsNotUsedForIt) {
    constexpr double Allowed = 0.15;
    const AreaTable table = load_tables().area;
    for (const auto& [name, block] : table.blocks) {
        if (!block.check) continue;
        const double error = predict(block, block.check->at).gates / block.check->gates - 1;
        RecordProperty(name, std::to_string(error));
        EXPECT_LT(std::abs(error), Allowed) << name;
    }
}

TEST(Show, SaysThatItIsAnEstimate) {
    const std::string text = show(estimate_area(test::estimate_config(), test::estimate_tables().area),
                                  test::estimate_config(), test::estimate_tables().area);
    EXPECT_NE(text.find("estimate"), std::string::npos);
    EXPECT_NE(text.find("pe_row"), std::string::npos);
}

}  // namespace
}  // namespace trnsim::estimates
