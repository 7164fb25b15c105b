#include "runtime/session/figures.hpp"

#include <gtest/gtest.h>

namespace trnsim::runtime {
namespace {

TEST(Figures, AreDifferencesOfTwoSnapshots) {
    tlm::Statistics before, after;
    before.hbm.resize(1);
    before.dma.resize(1);
    before.time = 100;
    before.core.cycles = 10;
    before.core.engine[0].busy_cycles = 3;
    before.core.engine[0].cycles_in_state[2] = 1;
    before.dma[0].busy_time = 20;
    before.hbm[0].bytes_read = 7;
    after = before;
    after.time += 1000;
    after.core.cycles += 200;
    after.core.engine[0].busy_cycles += 50;
    after.core.engine[0].cycles_in_state[2] += 9;
    after.dma[0].busy_time += 250;
    after.dma[0].data.bytes_written += 64;
    after.hbm[0].bytes_read += 11;
    Figures figures = difference(before, after);
    figures.wall_seconds = 0.5;
    figures.matmul = {
        .instructions = 1, .macs = 3'000'000, .ideal_cycles = 64, .first_cycle = 100, .last_cycle = 228};
    EXPECT_EQ(figures.start, 100u);
    EXPECT_EQ(figures.time, 1000u);
    EXPECT_EQ(figures.engine[0].cycles_in_state[2], 9u);
    EXPECT_EQ(figures.hbm[0].bytes_read, 11u);
    EXPECT_EQ(figures.dma_bytes(), 64u);
    EXPECT_DOUBLE_EQ(figures.engine_utilisation(0), 0.25);
    EXPECT_DOUBLE_EQ(figures.dma_utilisation(0), 0.25);
    EXPECT_DOUBLE_EQ(figures.tensor_utilisation(), 0.5);
    EXPECT_DOUBLE_EQ(figures.simulated_khz(), 0.4);
    EXPECT_DOUBLE_EQ(figures.mmacs_per_second(), 6.0);
}

TEST(Figures, NothingDividesByZero) {
    const Figures figures;
    EXPECT_EQ(figures.engine_utilisation(0), 0);
    EXPECT_EQ(figures.tensor_utilisation(), 0);
    EXPECT_EQ(figures.simulated_khz(), 0);
}

}  // namespace
}  // namespace trnsim::runtime
