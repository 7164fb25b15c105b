// Sends random traffic to a channel with random timing and policies: the independent checker finds nothing,
// every access is served, accesses to the same burst stay in order, refresh is never late.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>
#include <random>

#include "common/random.hpp"
#include "model/hbm/channel_bench.hpp"

namespace trnsim::tlm::hbm {
namespace {

using test::Access;
using test::ChannelBench;

template <typename T>
T pick(std::mt19937_64& random, std::initializer_list<T> values) {
    return *(values.begin() + random() % values.size());
}

config::BankedHbm random_hbm(std::mt19937_64& random) {
    config::BankedHbm hbm = config::load("trn1").hbm.banked;
    hbm.preset = pick(random, {"A", "B"});
    hbm.page_policy = pick(random, {"open", "closed", "adaptive"});
    hbm.scheduler = pick(random, {"fr_fcfs", "fr_fcfs", "fcfs"});
    hbm.refresh = pick(random, {"all_bank", "per_bank", "none"});
    hbm.postpone = random() % 9;
    hbm.max_wait = 100 + random() % 3000;
    hbm.read_queue = 32 + random() % 64;
    hbm.write_queue = 32 + random() % 64;
    hbm.write_high = 1 + random() % hbm.write_queue;
    hbm.write_low = random() % hbm.write_high;
    if (random() % 2 == 0) {
        const auto factor = [&] { return 50 + random() % 150; };  // percent
        const config::DramTiming preset = timing_of(hbm);
        for (const config::DramParameter& parameter : config::dram_parameters()) {
            const std::uint64_t value = preset.*parameter.value * factor() / 100;
            if (!parameter.name.starts_with("ref"))
                hbm.timing.*parameter.value = std::max<std::uint64_t>(value, 4);
        }
        config::DramTiming& t = hbm.timing;  // the rules of the configuration
        t.rc = std::max(t.rc, t.ras + t.rp);
        t.ccd_l = std::max(t.ccd_l, t.ccd_s);
        t.rrd_l = std::max(t.rrd_l, t.rrd_s);
        t.wtr_l = std::max(t.wtr_l, t.wtr_s);
        t.rtw = std::max(t.rtw, t.cl > t.cwl ? t.cl + 4 - t.cwl : 4);
        t.refi_pb = 1000;
    }
    return hbm;
}

std::string text_of(const config::BankedHbm& hbm) {
    std::string text =
        fmt::format("{} {} {} {} postpone {} max_wait {} queues {} {} marks {} {}:", hbm.preset,
                    hbm.page_policy, hbm.scheduler, hbm.refresh, hbm.postpone, hbm.max_wait, hbm.read_queue,
                    hbm.write_queue, hbm.write_low, hbm.write_high);
    for (const config::DramParameter& parameter : config::dram_parameters())
        text += fmt::format(" {} {}", parameter.name, timing_of(hbm).*parameter.value);
    return text;
}

std::vector<Access> random_accesses(std::mt19937_64& random, std::size_t count) {
    const unsigned rows = 1 + random() % 4, banks = 1 + random() % 16, gap = pick(random, {1, 3, 20, 400});
    const unsigned writes = random() % 5;
    std::vector<Access> accesses;
    Cycle at = 1;
    for (std::size_t i = 0; i < count; ++i) {
        const unsigned bank = random() % banks;
        Access access{random() % 4 < writes, bank % 4, bank / 4, static_cast<std::uint32_t>(random() % rows)};
        access.bursts = 1 + random() % 8;
        access.column = random() % (Columns + 1 - access.bursts);
        access.pseudo = random() % 2;
        access.arrival = at;
        at += random() % gap;
        if (random() % 200 == 0) at += random() % 20'000;
        accesses.push_back(access);
    }
    return accesses;
}

// The commands for each burst are in the order of the accesses, except that reads may pass reads.
void check_order(const ChannelBench& bench) {
    std::map<std::tuple<unsigned, unsigned, std::uint32_t, unsigned>, std::pair<std::uint64_t, std::uint64_t>>
        last;
    for (const CommandRecord& record : bench.trace()) {
        const bool write = record.command == Command::Write || record.command == Command::WriteAuto;
        const bool read = record.command == Command::Read || record.command == Command::ReadAuto;
        if (!write && !read) continue;
        auto& [last_read, last_write] = last[{record.pseudo, record.bank, record.row, record.column}];
        EXPECT_GE(record.sequence, last_write);
        if (write) {
            EXPECT_GE(record.sequence, last_read);
            last_write = record.sequence;
        } else {
            last_read = std::max(last_read, record.sequence);
        }
    }
}

// The nth refresh is due n intervals after the start and may be postponed by `postpone` of them. After that
// it may still wait for an access under way, the precharge, and the turn of the other pseudo channel on the
// bus.
void check_refreshes(const ChannelBench& bench, const config::BankedHbm& hbm, Cycle end) {
    const config::DramTiming t = timing_of(hbm);
    const bool all = hbm.refresh == "all_bank";
    const Cycle interval = hbm.refresh == "none" ? end : all ? t.refi : t.refi_pb;
    const Cycle closing = t.rc + t.rcd_rd + t.rtw + t.cwl + BurstCycles + t.wr + t.rp + t.faw + 20;
    const test::CommandChecker checked = bench.checked();
    for (unsigned pseudo = 0; pseudo < PseudoChannels; ++pseudo) {
        const auto& refreshes = checked.refreshes(pseudo);
        if (hbm.refresh == "none") {
            EXPECT_TRUE(refreshes.empty());
            continue;
        }
        const Cycle first = t.refi + t.refi * pseudo / (Channels * PseudoChannels);
        for (std::size_t n = 0; n < refreshes.size(); ++n) {
            const auto at = static_cast<Cycle>(refreshes[n].at);
            const Cycle due = first + n * interval;
            EXPECT_GE(at, due) << "refresh " << n;
            EXPECT_LE(at, due + hbm.postpone * interval + closing + (all ? t.rfc_ab : t.rfc_pb))
                << "refresh " << n;
            EXPECT_EQ(refreshes[n].bank, all ? 0 : n % Banks);
        }
        if (end <= first + (hbm.postpone + 2) * interval) continue;
        EXPECT_GE(refreshes.size(), (end - first) / interval - hbm.postpone - 1);
    }
}

TEST(Traffic, RandomAccessesKeepEveryRule) {
    auto random = test::generator();
    for (std::uint64_t round = 0; round < 60 * test::scale(); ++round) {
        const config::BankedHbm hbm = random_hbm(random);
        SCOPED_TRACE(fmt::format("round {}: {}", round, text_of(hbm)));
        ChannelBench bench(hbm);
        std::uint64_t bursts = 0;
        Cycle last = 0;
        for (const Access& access : random_accesses(random, 300)) {
            bench.add(access);
            bursts += access.bursts;
            last = access.arrival;
        }
        // Advances in steps of any size.
        Cycle now = 0;
        while (now < last) bench.advance(now += 1 + random() % pick<Cycle>(random, {3, 100, 5000}));
        ASSERT_TRUE(bench.finish());
        const Cycle end = std::max(now, bench.trace().back().at) + 100'000;
        bench.advance(end);
        const test::CommandChecker checked = bench.checked();
        EXPECT_TRUE(checked.broken().empty()) << testing::PrintToString(checked.broken());
        const DramCounts counts = bench.counts();
        EXPECT_EQ(counts.bursts(), bursts);
        EXPECT_EQ(counts.hits + counts.misses + counts.conflicts, bursts);
        check_order(bench);
        check_refreshes(bench, hbm, end);
        if (testing::Test::HasFailure()) return;
    }
}

// Tests the shortest interval that the rules of a configuration allow (refresh-interval).
TEST(Traffic, RefreshAlwaysLeavesTime) {
    auto random = test::generator();
    for (const std::uint64_t rfc : {1, 2, 3, 10}) {
        for (const std::uint64_t postpone : {0, 1, 8}) {
            SCOPED_TRACE(fmt::format("rfc_ab {}, postpone {}", rfc, postpone));
            config::BankedHbm hbm = config::load("trn1").hbm.banked;
            hbm.refresh = "all_bank";
            hbm.postpone = postpone;
            hbm.timing.rc = 100;
            hbm.timing.rfc_ab = rfc;
            hbm.timing.refi = hbm.timing.rc + rfc + std::max<std::uint64_t>(rfc, 2);
            ChannelBench bench(hbm);
            for (const Access& access : random_accesses(random, 50)) bench.add(access);
            ASSERT_TRUE(bench.finish());
        }
    }
}

// The commands of a channel do not depend on the steps in which time advances.
TEST(Traffic, StepsDoNotMatter) {
    auto random = test::generator();
    for (std::uint64_t round = 0; round < 10 * test::scale(); ++round) {
        const config::BankedHbm hbm = random_hbm(random);
        const std::vector<Access> accesses = random_accesses(random, 200);
        ChannelBench whole(hbm), steps(hbm);
        for (const Access& access : accesses) {
            whole.add(access);
            steps.advance(access.arrival - 1);
            steps.add(access);
        }
        const Cycle end = accesses.back().arrival + 200'000;
        whole.advance(end);
        for (Cycle now = accesses.back().arrival; now < end;)
            steps.advance(now = std::min(end, now + 1 + random() % 50));
        ASSERT_EQ(whole.trace().size(), steps.trace().size()) << text_of(hbm);
        for (std::size_t i = 0; i < whole.trace().size(); ++i) {
            ASSERT_EQ(whole.trace()[i].at, steps.trace()[i].at) << text_of(hbm) << ", command " << i;
            ASSERT_EQ(whole.trace()[i].command, steps.trace()[i].command)
                << text_of(hbm) << ", command " << i;
        }
    }
}

}  // namespace
}  // namespace trnsim::tlm::hbm
