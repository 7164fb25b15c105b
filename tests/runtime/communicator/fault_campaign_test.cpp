// Faults of every kind strike while collectives run: the result is right, or the collective ends with one
// line and a status. Nothing fails silently and nothing hangs. Prints how collectives ended.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>

#include "base/jobs/isolated.hpp"
#include "common/random.hpp"
#include "runtime/communicator/campaign.hpp"
#include "runtime/communicator/server_of.hpp"

namespace trnsim::test {
namespace {

constexpr unsigned LongestSeconds = 300;  // the time limit of a process

// The links give up soon, so that a lost request costs little simulation.
constexpr std::string_view Links =
    "slots: [none]\nlinks: { give_up_time: 5 us, training_time: 3 us, timeout: 300 us, retry_limit: 12 }\n";
constexpr std::array Topologies{"chips: 9\ntopology: torus 3x3\n", "chips: 4\ntopology: ring 4\n",
                                "chips: 6\ntopology: mesh 2x3\n", "chips: 3\ntopology: chain 3\n"};

struct Part {
    std::string topology;     // keys
    std::vector<Kind> kinds;  // up to `strikes` of these are drawn for each collective
    std::uint64_t strikes;
    bool corrects = true;  // HBM corrects errors
};

// Returns a server with banked HBM; its words have check bits if `corrects`.
config::Server server_of_part(const Part& part) {
    config::Server server = server_of(part.topology + std::string(Links));
    server.chip.hbm.model = "banked";
    server.chip.hbm.banked.ecc = part.corrects ? 1 : 0;
    return server;
}

struct Ended {
    Tally tally;
    std::string complaint;
};

// Runs collectives `first` and following of a part in their own process until its server is not healthy any
// more. Returns "next strikes collectives outcomes... complaint".
std::string run_some(const Part& part, std::uint64_t first, std::uint64_t strikes) {
    return jobs::run_isolated([&] {
        alarm(LongestSeconds);
        tlm::LinkedServer server(server_of_part(part), {.collectives = true});
        Campaign campaign(server);
        Tally tally;
        while (campaign.healthy() && tally.strikes < strikes) {
            std::mt19937_64 random(seed() + first + tally.collectives);
            std::vector<Kind> kinds;
            for (std::uint64_t i = 1 + random() % part.strikes; i > 0; --i)
                kinds.push_back(part.kinds[random() % part.kinds.size()]);
            const Outcome outcome = campaign.strike(kinds, random());
            tally.strikes += kinds.size();
            ++tally.collectives;
            ++tally.ended[static_cast<std::size_t>(outcome)];
        }
        std::string text = fmt::format("{} {}", tally.strikes, tally.collectives);
        for (const std::uint64_t count : tally.ended) text += fmt::format(" {}", count);
        return text + " " + campaign.complaint();
    });
}

Ended run(const Part& part, std::uint64_t strikes) {
    Ended ended;
    while (ended.tally.strikes < strikes && ended.complaint.empty()) {
        std::istringstream text(run_some(part, ended.tally.collectives, strikes - ended.tally.strikes));
        Tally tally;
        text >> tally.strikes >> tally.collectives;
        for (std::uint64_t& count : tally.ended) text >> count;
        std::getline(text >> std::ws, ended.complaint);
        ended.tally.add(tally);
    }
    return ended;
}

void print(std::string_view name, const Tally& tally) {
    std::printf("%-22.*s %7llu faults in %6llu collectives:", static_cast<int>(name.size()), name.data(),
                static_cast<unsigned long long>(tally.strikes),
                static_cast<unsigned long long>(tally.collectives));
    for (std::size_t i = 0; i < Outcomes; ++i) {
        if (tally.ended[i] != 0)
            std::printf(" %llu %s", static_cast<unsigned long long>(tally.ended[i]), OutcomeNames[i]);
    }
    std::printf("\n");
}

std::uint64_t count(const Tally& tally, Outcome outcome) {
    return tally.ended[static_cast<std::size_t>(outcome)];
}

// The test runs a thousandth of the faults of the full set.
class FaultCampaign : public testing::TestWithParam<Kind> {};

// Returns whether a kind of fault may have this outcome beside the right result.
bool may_end(Kind kind, Outcome outcome) {
    switch (outcome) {
        case Outcome::Collectives:
            return kind == Kind::LongCut || kind == Kind::LostChip;
        case Outcome::HbmUncorrectable:
            return kind == Kind::TwoBits;
        default:
            return is_right(outcome);
    }
}

// Returns an outcome that a kind must have at least once, so that a campaign that never hits is noticed.
Outcome expected_of(Kind kind) {
    switch (kind) {
        case Kind::WrongBits:
        case Kind::LostFrame:
        case Kind::ShortCut:
            return Outcome::Repeated;
        case Kind::Lanes:
            return Outcome::Unharmed;
        case Kind::LongCut:
            return Outcome::Rerouted;
        case Kind::LostChip:
            return Outcome::Collectives;
        case Kind::OneBit:
            return Outcome::Corrected;
        case Kind::TwoBits:
            return Outcome::HbmUncorrectable;
    }
    return Outcome::Other;
}

TEST_P(FaultCampaign, OfOneKind) {
    const Kind kind = GetParam();
    Tally sum;
    for (const char* topology : Topologies) {
        const Part part{std::string(topology), {kind}, kind == Kind::OneBit ? 40U : 4U};
        const Ended ended = run(part, 25 * scale());
        EXPECT_EQ(ended.complaint, "") << topology;
        sum.add(ended.tally);
    }
    print(KindNames[static_cast<std::size_t>(kind)], sum);
    for (std::size_t i = 0; i < Outcomes; ++i) {
        if (!may_end(kind, static_cast<Outcome>(i))) {
            EXPECT_EQ(sum.ended[i], 0u) << OutcomeNames[i];
        }
    }
    EXPECT_GT(count(sum, expected_of(kind)), 0u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, FaultCampaign,
                         testing::Values(Kind::WrongBits, Kind::LostFrame, Kind::Lanes, Kind::ShortCut,
                                         Kind::LongCut, Kind::LostChip, Kind::OneBit, Kind::TwoBits));

TEST(FaultCampaigns, OfAllKinds) {
    const Part part{Topologies[0],
                    {Kind::WrongBits, Kind::LostFrame, Kind::Lanes, Kind::ShortCut, Kind::LongCut,
                     Kind::LostChip, Kind::OneBit, Kind::TwoBits},
                    12};
    const Ended ended = run(part, 200 * scale());
    print("all kinds", ended.tally);
    EXPECT_EQ(ended.complaint, "");
    EXPECT_EQ(count(ended.tally, Outcome::Wrong), 0u);
    EXPECT_EQ(count(ended.tally, Outcome::Other), 0u);
}

// The counter-test: memory without correction gives wrong results, and they are noticed.
TEST(FaultCampaigns, WrongResultsAreSeen) {
    const Part part{Topologies[1], {Kind::TwoBits}, 40, false};
    const Ended ended = run(part, 400);
    print("HBM without correction", ended.tally);
    EXPECT_GT(count(ended.tally, Outcome::Wrong), 0u);
}

}  // namespace
}  // namespace trnsim::test
