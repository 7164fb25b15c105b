// Compares the reports of the sending end of a link with the link's counts and with the protocol.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/neuronlink/bench.hpp"

namespace trnsim::tlm::neuronlink {
namespace {

using test::LinkBench;
using test::Us;
using trace::LinkFrame;
using trace::LinkStanding;
using State = LinkStanding::State;

constexpr Parameters Fast{.give_up_time = 5 * Us, .training_time = 2 * Us, .timeout = 100 * Us};

// Keeps the reports by chip; there is one link.
struct Notes : trace::Sink {
    struct Standing {
        Time at;
        LinkStanding is;
    };
    void instruction(const trace::Instruction&) override {}
    void packet(const trace::Packet&) override {}
    void link_frame(const LinkFrame& frame) override { frames[frame.from.chip].push_back(frame); }
    void link_stall(const trace::LinkStall& stall) override { stalls[stall.from.chip].push_back(stall); }
    void link_standing(const trace::LinkEnd& from, std::uint64_t at, const LinkStanding& is) override {
        if (from.port == port) standings[from.chip].push_back({at, is});
    }

    unsigned port = 0;  // the port of chips 0 and 1
    std::map<unsigned, std::vector<LinkFrame>> frames;
    std::map<unsigned, std::vector<trace::LinkStall>> stalls;
    std::map<unsigned, std::vector<Standing>> standings;
};

// Two chips connected at ports of the same number, with a listener.
struct Listened {
    explicit Listened(const Parameters& parameters = {}) : parameters(parameters) {
        bench.emplace("b", graph(2, std::vector<std::pair<unsigned, unsigned>>{{0, 1}}), parameters,
                      NetworkOptions{.sink = &notes});
        test::elaborate();
    }
    void write(unsigned count) {
        for (unsigned i = 0; i < count; ++i)
            bench->hosts[0]->write(test::at_chip(1, std::uint64_t{i} * 512), test::pattern(512, i));
    }
    std::vector<State> states(unsigned chip) const {
        std::vector<State> states;
        for (const auto& [at, is] : notes.standings.at(chip))
            if (states.empty() || states.back() != is.state) states.push_back(is.state);
        return states;
    }

    Parameters parameters;
    Notes notes;
    std::optional<LinkBench> bench;
};

std::uint64_t count(const std::vector<LinkFrame>& frames, LinkFrame::Kind kind) {
    return static_cast<std::uint64_t>(std::ranges::count(frames, kind, &LinkFrame::kind));
}

// Checks all reports of a direction when nothing is under way any more.
void expect_agreement(const Listened& listened, unsigned from) {
    const LinkStatistics link = listened.bench->link(from, 1 - from);
    const auto& frames = listened.notes.frames.at(from);
    EXPECT_EQ(count(frames, LinkFrame::Kind::Packet), link.sent.packets);
    EXPECT_EQ(count(frames, LinkFrame::Kind::Repetition), link.sent.repeated);
    EXPECT_EQ(count(frames, LinkFrame::Kind::Control), link.sent.control);
    std::uint64_t flits = 0, bytes = 0;
    Time busy = 0, end = 0;
    for (const LinkFrame& frame : frames) {
        EXPECT_GE(frame.start, end) << "frames do not overlap";
        EXPECT_EQ(frame.end - frame.start,
                  wire_time(frame.flits, rate_of(listened.parameters, listened.parameters.lanes)));
        end = frame.end;
        flits += frame.flits;
        busy += frame.end - frame.start;
        bytes += frame.kind == LinkFrame::Kind::Packet ? frame.bytes : 0;
    }
    EXPECT_EQ(flits, link.sent.flits);
    EXPECT_EQ(busy, link.sent.busy);
    EXPECT_EQ(bytes, link.sent.bytes);

    Time stalled = 0;
    const auto stalls = listened.notes.stalls.find(from);
    if (stalls != listened.notes.stalls.end())
        for (const auto& stall : stalls->second) stalled += stall.end - stall.start;
    EXPECT_EQ(stalled, link.sent.stalled);
    EXPECT_EQ(stalls == listened.notes.stalls.end() ? 0 : stalls->second.size(), link.sent.stalls);

    const auto& standings = listened.notes.standings.at(from);
    EXPECT_EQ(standings.front().at, 0u);
    EXPECT_EQ(standings.front().is.replay, 0u);
    std::uint64_t peak = 0;
    for (std::size_t i = 0; i < standings.size(); ++i) {
        const LinkStanding& is = standings[i].is;
        if (i > 0) {
            EXPECT_GT(standings[i].at, standings[i - 1].at) << "one at a time, that of its end";
            EXPECT_NE(is, standings[i - 1].is) << "only changes";
            EXPECT_GE(is.retries, standings[i - 1].is.retries);
        }
        EXPECT_LE(is.replay, listened.parameters.replay);
        for (const std::uint64_t credits : is.credits) EXPECT_LE(credits, listened.parameters.buffer);
        peak = std::max(peak, is.replay);
    }
    EXPECT_LE(peak, link.sent.replay_peak);
    const LinkStanding& last = standings.back().is;
    EXPECT_EQ(last.retries, link.sent.retries);
    EXPECT_EQ(last.replay, 0u) << "all is acknowledged";
    EXPECT_FALSE(last.repeats || last.stalled);
    for (const std::uint64_t credits : last.credits) EXPECT_EQ(credits, listened.parameters.buffer);
}

TEST(LinkReport, WhatIsSentAndHowTheLinkStands) {
    Listened listened;
    listened.write(100);
    sc_core::sc_start();
    expect_agreement(listened, 0);
    expect_agreement(listened, 1);
    EXPECT_GE(count(listened.notes.frames.at(0), LinkFrame::Kind::Packet), 100u);
    EXPECT_EQ(listened.states(0), std::vector{State::Up});
}

// A packet takes credits of its channel and room in the replay buffer as it leaves, flit by flit.
TEST(LinkReport, AFrameTakesCredits) {
    Listened listened;
    listened.write(1);
    sc_core::sc_start();
    const LinkFrame& frame = listened.notes.frames.at(0).front();
    EXPECT_EQ(frame.flits, flits_of(512));
    EXPECT_EQ(frame.bytes, 512u);
    const auto& standings = listened.notes.standings.at(0);
    const auto after = std::ranges::find(standings, frame.start, &Notes::Standing::at);
    ASSERT_NE(after, standings.end());
    EXPECT_EQ(after->is.credits[frame.channel], listened.parameters.buffer - frame.flits);
    EXPECT_EQ(after->is.replay, frame.flits);
}

TEST(LinkReport, Retries) {
    Listened listened;
    listened.bench->wire(0, 1).faults().damage(3, {1234});
    listened.bench->wire(0, 1).faults().drop(30);
    listened.write(50);
    sc_core::sc_start();
    expect_agreement(listened, 0);
    expect_agreement(listened, 1);
    EXPECT_EQ(listened.bench->link(0, 1).sent.retries, 2u);
    EXPECT_TRUE(std::ranges::any_of(listened.notes.standings.at(0),
                                    [](const auto& standing) { return standing.is.repeats; }));
}

// The receiver has room for few packets.
TEST(LinkReport, WaitsForCredits) {
    Listened listened({.buffer = flits_of(4096)});
    listened.write(60);
    sc_core::sc_start();
    expect_agreement(listened, 0);
    EXPECT_GT(listened.bench->link(0, 1).sent.stalls, 0u);
    EXPECT_GT(listened.bench->link(0, 1).sent.stalled, 0u);
    EXPECT_TRUE(std::ranges::any_of(listened.notes.standings.at(0),
                                    [](const auto& standing) { return standing.is.stalled; }));
}

TEST(LinkReport, ACableThatIsCut) {
    Listened listened(Fast);
    listened.write(400);
    sc_core::sc_start(to_sc(2 * Us));
    listened.bench->network.cut(0);
    sc_core::sc_start(to_sc(3 * Us));
    listened.bench->network.restore(0);
    sc_core::sc_start();
    for (const unsigned chip : {0u, 1u}) {
        expect_agreement(listened, chip);
        EXPECT_EQ(listened.states(chip), (std::vector{State::Up, State::Down, State::Training, State::Up}));
        std::vector<Time> times;
        for (const auto& [at, is] : listened.notes.standings.at(chip))
            if (is.state != State::Up && (times.empty() || is.state == State::Training)) times.push_back(at);
        EXPECT_EQ(times.at(0), 2 * Us);
        EXPECT_EQ(times.at(1), 5 * Us);
    }
}

// One simulation has two equal links, one of them without a listener.
TEST(LinkReport, ListeningChangesNoTime) {
    Notes notes;
    const Topology pair = graph(2, std::vector<std::pair<unsigned, unsigned>>{{0, 1}});
    LinkBench heard("heard", pair, {}, {.sink = &notes}), alone("alone", pair);
    test::elaborate();
    for (LinkBench* bench : {&heard, &alone}) {
        bench->wire(0, 1).faults().damage(3, {77});
        for (unsigned i = 0; i < 80; ++i)
            bench->hosts[0]->write(test::at_chip(1, std::uint64_t{i} * 512), test::pattern(512, i));
    }
    sc_core::sc_start();
    ASSERT_EQ(heard.hosts[0]->replies.size(), 80u);
    for (const auto& [number, reply] : heard.hosts[0]->replies)
        EXPECT_EQ(reply.at, alone.hosts[0]->replies.at(number).at);
    EXPECT_FALSE(notes.frames.empty());
}

// A listener that comes later can ask for the standings, which else are told when they change.
TEST(LinkReport, StandingsAnew) {
    Listened listened;
    const std::size_t told = listened.notes.standings.at(0).size();
    listened.bench->network.set_lanes({0, 0}, 12);
    listened.bench->network.set_lanes({0, 0}, 12);
    ASSERT_EQ(listened.notes.standings.at(0).size(), told + 1);
    EXPECT_EQ(listened.notes.standings.at(0).back().is.failed_lanes, 4u);
    listened.bench->network.report_standings();
    ASSERT_EQ(listened.notes.standings.at(0).size(), told + 2);
    EXPECT_EQ(listened.notes.standings.at(0)[told + 1].is, listened.notes.standings.at(0)[told].is);
}

}  // namespace
}  // namespace trnsim::tlm::neuronlink
