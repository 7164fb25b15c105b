#include <gtest/gtest.h>

#include <stdexcept>

#include "arch/config/schema.hpp"
#include "model/hbm/channel_bench.hpp"

namespace trnsim::tlm::hbm {
namespace {

using test::ChannelBench;

std::span<const std::string_view> options(std::string_view key) {
    return std::get<config::Choice>(config::find_field(key)->value).options;
}

TEST(Policies, ExistForEveryNameOfTheConfiguration) {
    for (const std::string_view name : options("hbm.banked.page_policy"))
        EXPECT_NO_THROW(make_page_policy(name));
    for (const std::string_view name : options("hbm.banked.scheduler"))
        EXPECT_NO_THROW(make_scheduler(name, 1));
    const config::DramTiming timing = timing_of(test::quiet_hbm());
    for (const std::string_view name : options("hbm.banked.refresh"))
        EXPECT_NO_THROW(Refresh(name, timing, 0, 1));
    EXPECT_THROW(make_page_policy("half"), std::invalid_argument);
    EXPECT_THROW(make_scheduler("random", 1), std::invalid_argument);
    EXPECT_THROW(Refresh("often", timing, 0, 1), std::invalid_argument);
}

// Reads one bank; each read comes long after the one before.
DramCounts lone_reads(const char* page_policy, const std::vector<std::uint32_t>& rows) {
    config::BankedHbm hbm = test::quiet_hbm();
    hbm.page_policy = page_policy;
    ChannelBench bench(hbm);
    Cycle at = 1;
    for (const std::uint32_t row : rows) {
        bench.add({.row = row, .arrival = at});
        at += 500;
    }
    EXPECT_TRUE(bench.finish());
    EXPECT_TRUE(bench.checked().broken().empty());
    return bench.counts();
}

TEST(PagePolicy, OpenKeepsRowsOpen) {
    const DramCounts counts = lone_reads("open", {1, 1, 1, 2, 2});
    EXPECT_EQ(counts.hits, 3u);
    EXPECT_EQ(counts.misses, 1u);
    EXPECT_EQ(counts.conflicts, 1u);
    EXPECT_EQ(counts.activates, 2u);
}

TEST(PagePolicy, ClosedClosesAtOnce) {
    const DramCounts counts = lone_reads("closed", {1, 1, 1, 2, 2});
    EXPECT_EQ(counts.hits, 0u);
    EXPECT_EQ(counts.misses, 5u);
    EXPECT_EQ(counts.precharges, 5u);
}

TEST(PagePolicy, ClosedServesWhatWaitsForTheRowFirst) {
    config::BankedHbm hbm = test::quiet_hbm();
    hbm.page_policy = "closed";
    ChannelBench bench(hbm);
    for (unsigned column = 0; column < 8; ++column) bench.add({.row = 1, .column = column});
    ASSERT_TRUE(bench.finish());
    EXPECT_EQ(bench.counts().activates, 1u);
    EXPECT_EQ(bench.counts().hits, 7u);
}

// Conflicts make the policy close rows; an access to a row that it closed makes it keep them open.
TEST(PagePolicy, AdaptiveLearns) {
    const DramCounts alternating = lone_reads("adaptive", {1, 2, 3, 4, 5, 6, 7, 8});
    EXPECT_EQ(alternating.conflicts, 1u);
    EXPECT_EQ(alternating.misses, 7u);
    const DramCounts same = lone_reads("adaptive", {1, 2, 3, 4, 4, 4, 4, 4, 4});
    EXPECT_GE(same.hits, 3u);
}

TEST(Scheduler, FrFcfsServesRowHitsFirst) {
    for (const char* scheduler : {"fr_fcfs", "fcfs"}) {
        config::BankedHbm hbm = test::quiet_hbm();
        hbm.scheduler = scheduler;
        ChannelBench bench(hbm);
        bench.add({.row = 1});
        const std::uint64_t conflict = bench.add({.row = 2});
        const std::uint64_t hit = bench.add({.row = 1, .column = 9});
        ASSERT_TRUE(bench.finish());
        EXPECT_EQ(bench.moved(hit) < bench.moved(conflict), std::string(scheduler) == "fr_fcfs") << scheduler;
        EXPECT_TRUE(bench.checked().broken().empty());
    }
}

// This includes the pieces of one request, whichever banks they are for.
TEST(Scheduler, FcfsServesPiecesInTheOrderInWhichTheyCome) {
    config::BankedHbm hbm = test::quiet_hbm();
    hbm.scheduler = "fcfs";
    for (const unsigned first : {0U, 3U}) {
        ChannelBench bench(hbm);
        bench.add({.group = 1, .row = 1});
        bench.add({.group = first, .row = 1});
        bench.add({.group = 3 - first, .row = 1, .same_request = true});
        ASSERT_TRUE(bench.finish());
        std::vector<unsigned> groups;
        for (const CommandRecord& record : bench.trace())
            if (record.command == Command::Read) groups.push_back(group_of(record.bank));
        EXPECT_EQ(groups, (std::vector{1U, first, 3 - first}));
    }
}

// Adds endless hits of a row and one access to another row of the bank; returns how long that access waits.
Cycle wait_of_a_conflict(Cycle max_wait) {
    config::BankedHbm hbm = test::quiet_hbm();
    hbm.max_wait = max_wait;
    ChannelBench bench(hbm);
    bench.add({.row = 1});
    std::uint64_t conflict = 0;
    for (unsigned i = 0; i < 5000; ++i) {
        bench.add({.row = 1, .column = i % Columns, .arrival = 1 + i});
        if (i == 100) conflict = bench.add({.row = 2, .arrival = 1 + i});
    }
    EXPECT_TRUE(bench.finish());
    EXPECT_TRUE(bench.checked().broken().empty());
    return bench.moved(conflict) - 101;
}

TEST(Scheduler, AWaitEndsAtItsBound) {
    // The bound has hits before the access in the queue, then the access alone: it needs a precharge and an
    // activation.
    const Cycle bound = 1000 + 64 * 4 + 100;
    EXPECT_LE(wait_of_a_conflict(1000), bound);
    EXPECT_GT(wait_of_a_conflict(1000), 1000u);
    EXPECT_GT(wait_of_a_conflict(1'000'000), bound) << "without the bound it waits longer";
}

// The same bound holds for writes while reads never end.
TEST(Scheduler, AWriteDoesNotWaitForEver) {
    config::BankedHbm hbm = test::quiet_hbm();
    hbm.max_wait = 1000;
    ChannelBench bench(hbm);
    const std::uint64_t write = bench.add({.write = true, .group = 1, .arrival = 2});
    for (unsigned i = 0; i < 3000; ++i) bench.add({.row = 1, .column = i % Columns, .arrival = 2 + 2 * i});
    ASSERT_TRUE(bench.finish());
    EXPECT_LE(bench.moved(write), 1000u + 500u);
    EXPECT_TRUE(bench.checked().broken().empty());
}

TEST(Writes, AreDrainedBetweenTheWatermarks) {
    config::BankedHbm hbm = test::quiet_hbm();
    hbm.write_high = 20;
    hbm.write_low = 5;
    ChannelBench bench(hbm);
    for (unsigned i = 0; i < 400; ++i) {
        bench.add({.group = 1, .row = 1, .column = i % Columns, .arrival = 1 + 2 * i});
        if (i % 4 == 0)
            bench.add({.write = true, .group = 2, .row = 1, .column = i / 4 % Columns, .arrival = 1 + 2 * i});
    }
    ASSERT_TRUE(bench.finish());
    EXPECT_TRUE(bench.checked().broken().empty());
    // Between two turns of the bus there are at least as many writes as lie between the watermarks, except
    // the last time.
    unsigned run = 0;
    std::vector<unsigned> runs;
    for (const CommandRecord& record : bench.trace()) {
        const bool write = record.command == Command::Write || record.command == Command::WriteAuto;
        const bool read = record.command == Command::Read || record.command == Command::ReadAuto;
        if (write) ++run;
        if (read && run != 0) {
            runs.push_back(run);
            run = 0;
        }
    }
    ASSERT_GE(runs.size(), 2u);
    for (const unsigned length : runs) EXPECT_GE(length, 15u);
}

}  // namespace
}  // namespace trnsim::tlm::hbm
