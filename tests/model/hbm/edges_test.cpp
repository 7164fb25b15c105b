// Every timing edge has a directed case in which it alone decides. The command comes at the smallest legal
// distance, and the checker refuses the same trace with that command one cycle earlier.
#include "model/hbm/edges.hpp"

#include <gtest/gtest.h>

#include "model/hbm/channel_bench.hpp"

namespace trnsim::tlm::hbm {
namespace {

using test::Access;
using test::ChannelBench;
using Timing = config::DramTiming;

struct Case {
    std::string rule;  // the rule of the checker
    std::vector<Access> accesses;
    std::uint64_t Timing::*parameter = nullptr;  // parameter made so long that nothing else decides
    std::uint64_t value = 0;
    const char* page_policy = "open";
    const char* refresh = "none";
};

constexpr Cycle Due = 6240;  // the first refresh of pseudo channel 0
constexpr bool Write = true, Read = false;

// Returns reads that keep a bank busy from its refresh until the refresh of the next bank is due as well.
std::vector<Access> rows_of_a_bank(std::uint32_t count) {
    std::vector<Access> accesses;
    for (std::uint32_t row = 0; row < count; ++row) accesses.push_back({Read, 0, 0, row, 0, 1, 0, Due - 1});
    return accesses;
}

// Banks are {group, bank}.
const std::vector<Case> Cases{
    {"tRCDRD", {{Read}}},
    {"tRCDWR", {{Write}}},
    {"tRAS", {{Read, 0, 0, 0}, {Read, 0, 0, 1}}, &Timing::ras, 70},
    {"tRTP", {{Read, 0, 0, 0}, {Read, 0, 0, 1}}, &Timing::rtp, 90},
    {"tWR", {{Write, 0, 0, 0}, {Write, 0, 0, 1}}, &Timing::wr, 90},
    {"tRP", {{Read, 0, 0, 0}, {Read, 0, 0, 1}}, &Timing::rp, 60},
    {"tRC", {{Read, 0, 0, 0}, {Read, 0, 0, 1}}, &Timing::rc, 120},
    {"tRRD_S", {{Read, 0}, {Read, 1}}},
    {"tRRD_L", {{Read, 0, 0}, {Read, 0, 1}}, &Timing::rrd_l, 12},
    {"tFAW", {{Read, 0}, {Read, 1}, {Read, 2}, {Read, 3}, {Read, 0, 1}}, &Timing::faw, 70},
    {"tCCD_S", {{Read, 0, 0, 0, 0, 4}, {Read, 1, 0, 0, 0, 4}}},
    {"tCCD_S", {{Write, 0, 0, 0, 0, 4}, {Write, 1, 0, 0, 0, 4}}},
    {"tCCD_L", {{Read, 0, 0, 0, 0, 4}}},
    {"tCCD_L", {{Write, 0, 0, 0, 0, 4}}},
    {"tRTW", {{Read, 0}, {Write, 1}}, &Timing::rtw, 150},
    {"tWTR_S", {{Write, 0}, {Read, 1, 0, 0, 0, 1, 0, 30}}, &Timing::wtr_s, 150},
    {"tWTR_L", {{Write, 0}, {Read, 0, 1, 0, 0, 1, 0, 30}}, &Timing::wtr_l, 150},
    {"tWR before RDA", {{Write, 0, 0, 0, 0, 2}, {Read, 0, 0, 0, 8, 1, 0, 22}}, &Timing::wr, 150, "closed"},
    {"tRP after RDA", {{Read, 0, 0, 0}, {Read, 0, 0, 1}}, &Timing::rtp, 90, "closed"},
    {"tRP after WRA", {{Write, 0, 0, 0}, {Write, 0, 0, 1}}, &Timing::wr, 90, "closed"},
    {"tRC", {{Read, 0, 0, 0}, {Read, 0, 0, 1}}, nullptr, 0, "closed"},
    {"tRFCab", {{Read, 0, 0, 0, 0, 1, 0, Due + 10}}, nullptr, 0, "open", "all_bank"},
    {"tRAS before PREA", {{Read, 0, 0, 0, 0, 1, 0, Due - 20}}, &Timing::ras, 200, "open", "all_bank"},
    {"tRTP before PREA", {{Read, 0, 0, 0, 0, 1, 0, Due - 20}}, &Timing::rtp, 200, "open", "all_bank"},
    {"tWR before PREA", {{Write, 0, 0, 0, 0, 1, 0, Due - 20}}, &Timing::wr, 200, "open", "all_bank"},
    {"tRP after PREA before REFab", {{Read, 0, 0, 0, 0, 1, 0, Due - 100}}, nullptr, 0, "open", "all_bank"},
    {"tRP after PREA",
     {{Read, 0, 0, 0, 0, 1, 0, Due - 100}, {Read, 0, 0, 1, 0, 1, 0, Due + 1}},
     nullptr,
     0,
     "open",
     "all_bank"},
    {"tRC before REFab", {{Read, 0, 0, 0, 0, 1, 0, Due - 20}}, &Timing::rc, 300, "open", "all_bank"},
    {"tRP after RDA before REFab",
     {{Read, 0, 0, 0, 0, 1, 0, Due - 20}},
     &Timing::rtp,
     200,
     "closed",
     "all_bank"},
    {"tRP after WRA before REFab",
     {{Write, 0, 0, 0, 0, 1, 0, Due - 20}},
     &Timing::wr,
     200,
     "closed",
     "all_bank"},
    {"tRFCpb", {{Read, 0, 0, 0, 0, 1, 0, Due + 5}}, nullptr, 0, "open", "per_bank"},
    {"tRREFD", {{Read, 1, 0, 0, 0, 1, 0, Due + 1}}, nullptr, 0, "open", "per_bank"},
    {"tRREFD before REFpb", rows_of_a_bank(8), &Timing::rrefd, 100, "open", "per_bank"},
    {"tRRD_S before REFpb", {{Read, 1, 0, 0, 0, 1, 0, Due - 1}}, nullptr, 0, "open", "per_bank"},
    {"tRRD_L before REFpb", {{Read, 0, 1, 0, 0, 1, 0, Due - 1}}, &Timing::rrd_l, 20, "open", "per_bank"},
    {"tFAW before REFpb",
     {{Read, 1, 0, 0, 0, 1, 0, Due - 40},
      {Read, 2, 0, 0, 0, 1, 0, Due - 40},
      {Read, 3, 0, 0, 0, 1, 0, Due - 40},
      {Read, 1, 1, 0, 0, 1, 0, Due - 40}},
     &Timing::faw,
     200,
     "open",
     "per_bank"},
    {"tRP before REFpb", {{Read, 0, 0, 0, 0, 1, 0, Due - 100}}, &Timing::rp, 150, "open", "per_bank"},
    {"tRC before REFpb", {{Read, 0, 0, 0, 0, 1, 0, Due - 20}}, &Timing::rc, 300, "open", "per_bank"},
    {"tRP after RDA before REFpb",
     {{Read, 0, 0, 0, 0, 1, 0, Due - 20}},
     &Timing::rtp,
     200,
     "closed",
     "per_bank"},
    {"tRP after WRA before REFpb",
     {{Write, 0, 0, 0, 0, 1, 0, Due - 20}},
     &Timing::wr,
     200,
     "closed",
     "per_bank"},
    {"row bus", {{Read}, {Read, 0, 0, 0, 0, 1, 1}}},
    {"column bus",
     {{Read, 0, 0, 0, 0, 8}, {Read, 0, 0, 0, 0, 8, 1}, {Read, 1, 0, 0, 0, 8}, {Read, 1, 0, 0, 0, 8, 1}}},
};

class Edges : public testing::TestWithParam<std::size_t> {};

TEST_P(Edges, AreKeptAsCloselyAsAllowed) {
    const Case& subject = Cases[GetParam()];
    config::BankedHbm hbm = test::quiet_hbm();
    hbm.page_policy = subject.page_policy;
    hbm.refresh = subject.refresh;
    hbm.write_low = 0;
    if (subject.parameter != nullptr) hbm.timing.*subject.parameter = subject.value;
    ChannelBench bench(hbm);
    for (const Access& access : subject.accesses) bench.add(access);
    ASSERT_TRUE(bench.finish());
    bench.advance(Due + 3000);

    const test::CommandChecker checked = bench.checked();
    EXPECT_TRUE(checked.broken().empty()) << testing::PrintToString(checked.broken());
    ASSERT_TRUE(checked.slack().contains(subject.rule)) << subject.rule;
    const auto slack = checked.slack().at(subject.rule);
    EXPECT_EQ(slack.least, 0) << subject.rule;

    std::vector<CommandRecord> early = bench.trace();
    --early[slack.command].at;
    EXPECT_TRUE(bench.check(early).broken().contains(subject.rule)) << subject.rule;
}

INSTANTIATE_TEST_SUITE_P(, Edges, testing::Range<std::size_t>(0, Cases.size()), [](const auto& info) {
    std::string name = Cases[info.param].rule + "_" + std::to_string(info.param);
    std::ranges::replace(name, ' ', '_');
    return name;
});

// Every parameter that is a distance changes some edge, so the table of edges is complete.
TEST(EdgeTable, EveryParameterThatIsADistanceMatters) {
    for (const config::DramParameter& parameter : config::dram_parameters()) {
        if (parameter.name == "cl" || parameter.name.starts_with("refi")) continue;
        config::BankedHbm hbm = test::quiet_hbm("B");
        const Timing usual = timing_of(hbm);
        hbm.timing.*parameter.value = usual.*parameter.value + 1;
        const Timing longer = timing_of(hbm);
        const bool matters = std::ranges::any_of(
            edges(), [&](const Edge& edge) { return edge.distance(longer) != edge.distance(usual); });
        EXPECT_TRUE(matters) << parameter.name;
    }
}

}  // namespace
}  // namespace trnsim::tlm::hbm
