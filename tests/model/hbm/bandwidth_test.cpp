// Compares sustained rates of a channel with closed forms.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/random.hpp"
#include "model/hbm/channel_bench.hpp"

namespace trnsim::tlm::hbm {
namespace {

using test::ChannelBench;

// Returns the cycles from the first command to the last.
double span(const ChannelBench& bench) {
    return static_cast<double>(bench.trace().back().at - bench.trace().front().at);
}

// Returns the utilisation with bursts of row hits, spread over `groups` bank groups of both pseudo channels,
// for many refresh intervals.
double utilisation(const config::BankedHbm& hbm, unsigned groups, bool write) {
    ChannelBench bench(hbm);
    constexpr unsigned Bursts = 40'000;  // bursts of a pseudo channel
    for (unsigned i = 0; i < Bursts / 2; ++i) {
        for (unsigned pseudo = 0; pseudo < PseudoChannels; ++pseudo)
            bench.add({write, i % groups, 0, 0, i / groups % 16 * 2, 2, pseudo});
    }
    EXPECT_TRUE(bench.finish());
    EXPECT_TRUE(bench.checked().broken().empty()) << testing::PrintToString(bench.checked().broken());
    return Bursts * BurstCycles / span(bench);
}

class Streams : public testing::TestWithParam<const char*> {};

TEST_P(Streams, OfRowHitsFillTheBus) {
    const config::BankedHbm hbm = test::quiet_hbm(GetParam());
    for (const bool write : {false, true}) {
        EXPECT_GT(utilisation(hbm, 4, write), 0.97) << write;
        EXPECT_NEAR(utilisation(hbm, 1, write), 0.5, 0.02) << "one bank group: tCCD_L, not tCCD_S";
    }
}

TEST_P(Streams, LoseWhatAllBankRefreshTakes) {
    config::BankedHbm hbm = test::quiet_hbm(GetParam());
    hbm.refresh = "all_bank";
    hbm.postpone = 0;
    const config::DramTiming t = timing_of(hbm);
    const double bound = 1 - static_cast<double>(t.rfc_ab) / static_cast<double>(t.refi);
    const double got = utilisation(hbm, 4, false);
    EXPECT_LE(got, bound * 1.005);
    EXPECT_GE(got, bound * 0.96);
}

TEST_P(Streams, LoseLittleToPerBankRefresh) {
    config::BankedHbm hbm = test::quiet_hbm(GetParam());
    hbm.refresh = "per_bank";
    EXPECT_GE(utilisation(hbm, 4, false), 0.9);
}

// Each access of 64 bytes opens a row, in all banks in turn: as often as tRRD, tFAW and tRC allow.
TEST_P(Streams, OfOpenedRowsGoAtTheRateOfActivations) {
    for (const char* page_policy : {"open", "closed"}) {
        config::BankedHbm hbm = test::quiet_hbm(GetParam());
        hbm.page_policy = page_policy;
        const config::DramTiming t = timing_of(hbm);
        ChannelBench bench(hbm);
        constexpr unsigned Count = 4000;
        for (unsigned i = 0; i < Count; ++i) bench.add({false, i % 4, i / 4 % 4, i / 16, 0, 2});
        ASSERT_TRUE(bench.finish());
        EXPECT_TRUE(bench.checked().broken().empty());
        const double bound = std::max({static_cast<double>(t.rrd_s), static_cast<double>(t.faw) / 4,
                                       static_cast<double>(t.rc) / Banks});
        EXPECT_NEAR(span(bench) / Count, bound, bound * 0.03) << page_policy;
    }
}

TEST_P(Streams, OfRowsOfOneBankGoAtTheRateOfItsRowCycle) {
    for (const char* page_policy : {"open", "closed"}) {
        config::BankedHbm hbm = test::quiet_hbm(GetParam());
        hbm.page_policy = page_policy;
        ChannelBench bench(hbm);
        constexpr unsigned Count = 1000;
        for (unsigned i = 0; i < Count; ++i) bench.add({.row = i, .bursts = 2});
        ASSERT_TRUE(bench.finish());
        const auto row_cycle = static_cast<double>(timing_of(hbm).rc);
        EXPECT_NEAR(span(bench) / Count, row_cycle, row_cycle * 0.01) << page_policy;
    }
}

// Accesses to random banks and rows are not faster than the activations allow, and not much slower.
TEST_P(Streams, OfRandomAccessesComeNearTheRateOfActivations) {
    auto random = test::generator();
    config::BankedHbm hbm = test::quiet_hbm(GetParam());
    hbm.page_policy = "closed";
    hbm.read_queue = 128;
    const config::DramTiming t = timing_of(hbm);
    ChannelBench bench(hbm);
    constexpr unsigned Count = 8000;
    for (unsigned i = 0; i < Count; ++i) {
        bench.add({false, static_cast<unsigned>(random() % 4), static_cast<unsigned>(random() % 4),
                   static_cast<std::uint32_t>(random() % 32768), static_cast<unsigned>(random() % 16 * 2),
                   2});
    }
    ASSERT_TRUE(bench.finish());
    const double bound = std::max({static_cast<double>(t.rrd_s), static_cast<double>(t.faw) / 4});
    EXPECT_GE(span(bench) / Count, bound);
    EXPECT_LE(span(bench) / Count, bound * 1.25);
}

INSTANTIATE_TEST_SUITE_P(, Streams, testing::Values("A", "B"));

}  // namespace
}  // namespace trnsim::tlm::hbm
