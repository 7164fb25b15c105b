#include "runtime/session/figures.hpp"

#include <gtest/gtest.h>

#include "arch/config/config.hpp"
#include "runtime/session/estimates.hpp"

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

// Every rank's figures have the traffic of its whole chip.
TEST(Figures, EnergyOfRanksHasTheHbmOfAChipOnce) {
    const config::Config config = config::load("trn1");
    const estimates::Tables tables = estimates::load_tables();
    Results results;
    results.time = 1'000'000'000;
    for (const addresses::CoreId id :
         {addresses::CoreId{0, 0}, addresses::CoreId{0, 1}, addresses::CoreId{1, 0}}) {
        RankResult& rank = results.ranks.emplace_back();
        rank.core_id = id;
        rank.figures.time = results.time;
        rank.figures.hbm.resize(1);
        rank.figures.hbm[0].bytes_read = 1 << 20;
        rank.figures.work.macs[0] = 1000;
    }
    const double one = estimate(results.ranks[0].figures, config, tables).energy.joules;
    Figures without = results.ranks[0].figures;
    without.hbm.clear();
    const double rest = estimate(without, config, tables).energy.joules;
    ASSERT_GT(one, 1.01 * rest);
    const estimates::Energy energy = energy_of_ranks(results, config, tables);
    EXPECT_DOUBLE_EQ(energy.joules, 2 * one + rest);
    EXPECT_DOUBLE_EQ(energy.average_watts, energy.joules / 1e-6);
    results.ranks[2].here = false;
    EXPECT_DOUBLE_EQ(energy_of_ranks(results, config, tables).joules, one + rest);
}

}  // namespace
}  // namespace trnsim::runtime
