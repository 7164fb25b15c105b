#include "model/hbm/energy.hpp"

#include <gtest/gtest.h>

#include "model/hbm/organisation.hpp"

namespace trnsim::tlm::hbm {
namespace {

// The expected values are computed by hand from the published currents, for half a channel: 1.2 V / 2 = 0.6
// V, and mA x V x ns = pJ.
TEST(Energy, FollowsTheCurrents) {
    DramStatistics statistics;
    statistics.channels.resize(1);
    DramCounts& counts = statistics.channels[0];
    counts.activates = 1000;
    counts.reads = 2000;
    counts.writes = 3000;
    counts.all_refreshes = 16;
    counts.bank_refreshes = 32;
    counts.open_cycles = 1'600'000;  // 1 ms of 0.625 ns
    const DramEnergy got = energy(statistics, 0.002, 625'000);
    EXPECT_NEAR(got.activate, 1000 * 0.6 * (65.0 * 48 - 55.0 * 34 - 40.0 * 14) * 1e-12, 1e-15);
    EXPECT_NEAR(got.read, 2000 * 402e-12, 1e-15);
    EXPECT_NEAR(got.write, 3000 * 534e-12, 1e-15);
    EXPECT_NEAR(got.refresh, (16 + 2) * 30'420e-12, 1e-15);
    // The two pseudo channels take 2 ms, 1 ms of it with a row open.
    EXPECT_NEAR(got.background, 0.6 * (55e-3 * 1e-3 + 40e-3 * 3e-3), 1e-12);
    EXPECT_DOUBLE_EQ(got.total(), got.activate + got.read + got.write + got.refresh + got.background);
}

TEST(DramStatistics, AreDifferencesOfTwoSnapshots) {
    DramStatistics before;
    before.channels.resize(2);
    before.channels[1].reads = 5;
    before.reads = {2, 100, 70};
    before.corrected = 1;
    DramStatistics after = before;
    after.channels[1].reads = 9;
    after.channels[1].conflicts = 3;
    after.reads = {5, 400, 90};
    after.corrected = 4;
    const DramStatistics got = difference(before, after);
    EXPECT_EQ(got.channels[0].reads, 0u);
    EXPECT_EQ(got.channels[1].reads, 4u);
    EXPECT_EQ(sum(got.channels).conflicts, 3u);
    EXPECT_EQ(got.reads.count, 3u);
    EXPECT_EQ(got.reads.total, 300u);
    EXPECT_EQ(got.reads.most, 90u);
    EXPECT_EQ(got.corrected, 3u);
}

}  // namespace
}  // namespace trnsim::tlm::hbm
