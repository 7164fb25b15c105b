// Tests the signals of a server that are made from events written by hand.
#include "runtime/waves/server_waves.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "arch/addresses/pooled.hpp"
#include "arch/collective_cores/registers.hpp"
#include "base/time/time.hpp"

namespace trnsim::waves {
namespace {

using tlm::trace::LinkFrame;
using tlm::trace::LinkStanding;
using Texts = std::vector<std::string>;

constexpr std::uint64_t Ps = FsPerPs;

// Returns a text such as "10 up" for each change of a signal "links.chip[0].N.state".
Texts changes(const ServerWaves& waves, const std::string& name) {
    const auto topology = tlm::neuronlink::graph(2, std::vector<std::pair<unsigned, unsigned>>{{0, 1}});
    Texts found;
    bool known = false;
    for (const Scope& scope : waves.scopes(topology)) {
        for (std::size_t i = 0; i < scope.signals.size(); ++i) {
            const Signal& signal = scope.signals[i];
            if (fmt::format("{}.{}.{}", scope.name, signal.scope, signal.name) != name) continue;
            known = true;
            for (const Change& change : scope.changes) {
                if (change.signal != i) continue;
                found.push_back(signal.bits == 0 ? fmt::format("{} {}", change.time, change.text)
                                                 : fmt::format("{} {}", change.time, change.value));
            }
        }
    }
    return known ? found : Texts{"no such signal"};
}

LinkFrame frame(LinkFrame::Kind kind, std::uint64_t start, std::uint64_t end, std::uint64_t flits,
                unsigned channel = 0) {
    return {.from = {0, 0},
            .kind = kind,
            .start = start * Ps,
            .end = end * Ps,
            .flits = flits,
            .channel = channel};
}

TEST(ServerWaves, FramesOfALink) {
    ServerWaves waves;
    waves.link_frame(frame(LinkFrame::Kind::Packet, 10, 30, 17, 2));
    waves.link_frame(frame(LinkFrame::Kind::Packet, 30, 50, 17, 3));
    waves.link_frame(frame(LinkFrame::Kind::Control, 60, 61, 1));
    waves.link_frame(frame(LinkFrame::Kind::Repetition, 61, 81, 17, 2));
    EXPECT_EQ(changes(waves, "links.chip[0].N.to"), (Texts{"0 1.N"}));
    EXPECT_EQ(changes(waves, "links.chip[0].N.frame"),
              (Texts{"0 -", "10 packet", "50 -", "60 control", "61 packet again", "81 -"}));
    EXPECT_EQ(changes(waves, "links.chip[0].N.frames"), (Texts{"0 0", "10 1", "30 2", "60 3", "61 4"}));
    EXPECT_EQ(changes(waves, "links.chip[0].N.flits"), (Texts{"0 0", "10 17", "60 1", "61 17"}));
    EXPECT_EQ(changes(waves, "links.chip[0].N.channel"), (Texts{"0 0", "10 2", "30 3", "60 0", "61 2"}));
    EXPECT_EQ(changes(waves, "links.chip[1].N.frame"), (Texts{"0 -"})) << "the other direction";
    EXPECT_EQ(changes(waves, "links.chip[0].E.frame"), (Texts{"no such signal"})) << "no cable";
}

TEST(ServerWaves, StandingOfALink) {
    ServerWaves waves;
    LinkStanding is{.credits = {100, 100, 100, 100}};
    waves.link_standing({0, 0}, 0, is);
    is.credits[1] = 83;
    is.replay = 17;
    waves.link_standing({0, 0}, 10 * Ps, is);
    is.state = LinkStanding::State::Down;
    waves.link_standing({0, 0}, 20 * Ps, is);
    is.state = LinkStanding::State::Training;
    is.stalled = true;
    waves.link_standing({0, 0}, 30 * Ps, is);
    is.state = LinkStanding::State::Up;
    is.repeats = true;
    is.retries = 1;
    waves.link_standing({0, 0}, 40 * Ps, is);
    EXPECT_EQ(changes(waves, "links.chip[0].N.state"), (Texts{"0 up", "20 down", "30 training", "40 up"}));
    EXPECT_EQ(changes(waves, "links.chip[0].N.credits0"), (Texts{"0 100"}));
    EXPECT_EQ(changes(waves, "links.chip[0].N.credits1"), (Texts{"0 100", "10 83"}));
    EXPECT_EQ(changes(waves, "links.chip[0].N.replay"), (Texts{"0 0", "10 17"}));
    EXPECT_EQ(changes(waves, "links.chip[0].N.stalled"), (Texts{"0 0", "30 1"}));
    EXPECT_EQ(changes(waves, "links.chip[0].N.repeats"), (Texts{"0 0", "40 1"}));
    EXPECT_EQ(changes(waves, "links.chip[0].N.retries"), (Texts{"0 0", "40 1"}));
}

TEST(ServerWaves, EntriesOfACollectiveCore) {
    ServerWaves waves;
    waves.collective_entry({1, 4, 2, 0, 0, 3, 5 * Ps, 5 * Ps});
    waves.collective_entry({1, 4, 2, 1, 2, 4, 5 * Ps, 25 * Ps});
    waves.collective_entry({1, 4, 2, 2, 1, 0, 25 * Ps, 40 * Ps});
    const std::string place = "collectives.chip[1].core[4].channel[2].";
    EXPECT_EQ(changes(waves, place + "entry"), (Texts{"0 0", "5 1", "25 2", "40 3"}));
    EXPECT_EQ(changes(waves, place + "waits").back(), "40 0");
    EXPECT_EQ(changes(waves, place + "doorbells"), (Texts{"0 0", "5 3", "25 7"}));
}

TEST(ServerWaves, PacketsOfARing) {
    using tlm::trace::Packet;
    constexpr std::uint64_t Flag = collective_cores::flag_address(1, 7);
    ServerWaves waves;
    const auto packet = [&](unsigned engine, std::uint64_t start, std::uint64_t end, std::uint64_t bytes,
                            std::uint64_t source, std::uint64_t destination) {
        waves.packet(Packet{.chip = 0,
                            .engine = engine,
                            .ring = 8,
                            .start = start * Ps,
                            .end = end * Ps,
                            .bytes = bytes,
                            .source = source,
                            .destination = destination});
    };
    packet(3, 10, 30, 512, 0x100, addresses::pooled_address(1, 0x200));
    packet(3, 20, 50, 64, addresses::pooled_address(1, 0), 0x300);
    packet(3, 60, 70, 4, 0, addresses::pooled_address(1, Flag));
    packet(5, 40, 45, 100, 0, 0x400);
    const std::string ring = "dma.chip[0].engine[3].ring[8].";
    EXPECT_EQ(changes(waves, ring + "packet"), (Texts{"0 -", "10 data to chip 1", "30 data from chip 1",
                                                      "50 -", "60 flag to chip 1", "70 -"}));
    EXPECT_EQ(changes(waves, ring + "packets"),
              (Texts{"0 0", "10 1", "20 2", "30 1", "50 0", "60 1", "70 0"}));
    EXPECT_EQ(changes(waves, ring + "bytes"),
              (Texts{"0 0", "10 512", "20 576", "30 64", "50 0", "60 4", "70 0"}));
    EXPECT_EQ(changes(waves, "dma.chip[0].bytes"),
              (Texts{"0 0", "10 512", "20 576", "30 64", "40 164", "45 64", "50 0", "60 4", "70 0"}));
    EXPECT_EQ(changes(waves, "dma.chip[0].engines"),
              (Texts{"0 0", "10 8", "40 40", "45 8", "50 0", "60 8", "70 0"}));
}

// The events of another chip, kept by another process, give the same signals as if they were kept here.
TEST(ServerWaves, PutTogether) {
    ServerWaves whole, here, there, all;
    for (ServerWaves* each : {&whole, &here}) {
        each->link_frame(frame(LinkFrame::Kind::Packet, 10, 30, 17, 2));
        each->link_standing({0, 0}, 0, {.replay = 3});
    }
    for (ServerWaves* each : {&whole, &there}) {
        LinkFrame of_chip_1 = frame(LinkFrame::Kind::Packet, 12, 22, 9, 1);
        of_chip_1.from.chip = 1;
        each->link_frame(of_chip_1);
        each->collective_entry({1, 0, 0, 0, 0, 3, 5 * Ps, 6 * Ps});
        each->packet({.chip = 1, .engine = 2, .ring = 1, .start = 1 * Ps, .end = 2 * Ps, .bytes = 4});
    }
    for (const ServerWaves* each : {&there, &here}) all.add(each->bytes());
    for (const char* name :
         {"links.chip[0].N.frame", "links.chip[0].N.replay", "links.chip[1].N.flits",
          "collectives.chip[1].core[0].channel[0].doorbells", "dma.chip[1].engine[2].ring[1].bytes"}) {
        EXPECT_EQ(changes(all, name), changes(whole, name)) << name;
        EXPECT_GT(changes(all, name).size(), 0u) << name;
        EXPECT_NE(changes(all, name).front(), "no such signal") << name;
    }
}

}  // namespace
}  // namespace trnsim::waves
