// Tests the tracks of a server that are made from events written by hand.
#include "runtime/session/server_timeline.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trnsim::runtime {
namespace {

using tlm::trace::LinkFrame;
using Texts = std::vector<std::string>;

// Notes the calls.
struct Notes : Tracks {
    std::uint32_t add_track(std::string_view group, std::string_view name) override {
        tracks.push_back(fmt::format("{}/{}", group, name));
        return static_cast<std::uint32_t>(tracks.size() - 1);
    }
    void slice(std::uint32_t track, std::string_view name, std::uint64_t start, std::uint64_t end,
               std::span<const Argument> arguments) override {
        std::string text = fmt::format("{}: {} {}-{}", tracks[track], name, start, end);
        for (const auto& [key, value] : arguments)
            if (const auto* number = std::get_if<std::uint64_t>(&value))
                text += fmt::format(" {}={}", key, *number);
        events.push_back(text);
    }
    void instant(std::uint32_t track, std::string_view name, std::uint64_t time) override {
        events.push_back(fmt::format("{}: {} {}", tracks[track], name, time));
    }
    void flow(std::uint32_t from_track, std::uint64_t from, std::uint32_t to_track,
              std::uint64_t to) override {
        flows.push_back(fmt::format("{} {} - {} {}", tracks[from_track], from, tracks[to_track], to));
    }
    void change(std::string_view, std::uint64_t, double) override {}

    std::vector<std::string> tracks, events, flows;
};

Texts laid_out(const ServerLog& log) {
    Notes notes;
    lay_out(log, tlm::neuronlink::graph(2, std::vector<std::pair<unsigned, unsigned>>{{0, 1}}), notes);
    return notes.events;
}

LinkFrame frame(unsigned chip, LinkFrame::Kind kind, std::uint64_t start, std::uint64_t end,
                std::uint64_t flits, std::uint64_t bytes) {
    return {.from = {chip, 0}, .kind = kind, .start = start, .end = end, .flits = flits, .bytes = bytes};
}

// Frames without a gap are one slice.
TEST(ServerTimeline, Links) {
    ServerLog log;
    log.link_frame(frame(1, LinkFrame::Kind::Packet, 5, 25, 17, 512));
    log.link_frame(frame(0, LinkFrame::Kind::Packet, 10, 30, 17, 512));
    log.link_frame(frame(0, LinkFrame::Kind::Control, 30, 31, 1, 0));
    log.link_frame(frame(0, LinkFrame::Kind::Repetition, 31, 51, 17, 512));
    log.link_frame(frame(0, LinkFrame::Kind::Control, 52, 53, 1, 0));
    log.link_stall({{0, 0}, 53, 60});
    log.link_standing({0, 0}, 0, {});
    log.link_standing({0, 0}, 20, {.retries = 1});
    log.link_standing({0, 0}, 21, {.replay = 3, .retries = 1});
    log.link_standing({0, 0}, 40, {.retries = 3});
    const auto frames = [](const char* link, const char* times, const std::vector<unsigned>& figures) {
        return fmt::format("{}: frames {} bytes={} flits={} packets={} repeated packets={} control frames={}",
                           link, times, figures[0], figures[1], figures[2], figures[3], figures[4]);
    };
    constexpr const char* Link = "chip 0/link 0.N to 1.N";
    EXPECT_EQ(laid_out(log),
              (Texts{frames(Link, "10-51", {512, 35, 1, 1, 1}), frames(Link, "52-53", {0, 1, 0, 0, 1}),
                     "chip 0/link 0.N to 1.N: retry 20", "chip 0/link 0.N to 1.N: retry 40",
                     "chip 0/link 0.N to 1.N: retry 40", "chip 0/link 0.N to 1.N waits: no credits 53-60",
                     frames("chip 1/link 1.N to 0.N", "5-25", {512, 17, 1, 0, 0})}));
}

// Faults have a track of their own; frames that they hit are instants beside the frames.
TEST(ServerTimeline, FaultsOfLinks) {
    using State = tlm::trace::LinkStanding::State;
    ServerLog log;
    LinkFrame damaged = frame(0, LinkFrame::Kind::Packet, 10, 20, 17, 512);
    damaged.fate = LinkFrame::Fate::Damaged;
    LinkFrame lost = frame(0, LinkFrame::Kind::Control, 20, 21, 1, 0);
    lost.fate = LinkFrame::Fate::Lost;
    log.link_standing({0, 0}, 0, {});
    log.link_frame(damaged);
    log.link_frame(lost);
    log.link_standing({0, 0}, 22, {.failed_lanes = 4});
    log.link_standing({0, 0}, 23, {.replay = 9, .failed_lanes = 4});
    log.link_standing({0, 0}, 30, {});
    log.link_standing({0, 0}, 40, {.state = State::Down});
    log.link_standing({0, 0}, 50, {.state = State::Training});
    log.link_standing({0, 0}, 60, {});
    log.link_standing({1, 0}, 70, {.state = State::Down, .failed_lanes = 1});
    log.link_stall({{0, 0}, 62, 90});
    constexpr const char* Link = "chip 0/link 0.N to 1.N";
    const Texts expected{
        fmt::format("{}: frames 10-21 bytes=512 flits=18 packets=1 repeated packets=0 control frames=1",
                    Link),
        fmt::format("{}: wrong bits 10", Link),
        fmt::format("{}: lost frame 20", Link),
        fmt::format("{} waits: no credits 62-90", Link),
        fmt::format("{} faults: lanes 22-30 failed lanes=4", Link),
        fmt::format("{} faults: down 40-50 failed lanes=0", Link),
        fmt::format("{} faults: training 50-60 failed lanes=0", Link),
        "chip 1/link 1.N to 0.N faults: down 70-90 failed lanes=1"};
    EXPECT_EQ(laid_out(log), expected);
    ServerLog other;
    other.add(log.bytes());
    EXPECT_EQ(laid_out(other), expected);
}

TEST(ServerTimeline, CollectiveCoresRingsAndChannels) {
    ServerLog log;
    log.collective_entry({0, 4, 1, 0, 2, 3, 5, 9});
    log.packet({.chip = 0, .engine = 17, .ring = 9, .start = 10, .end = 30, .bytes = 512, .descriptors = 2});
    log.packet({.chip = 0, .engine = 17, .ring = 9, .start = 20, .end = 50, .bytes = 64, .descriptors = 2});
    const auto command = [&](std::string_view name, std::uint64_t start, std::uint64_t data,
                             std::uint64_t data_end, bool write) {
        log.dram_command({.chip = 0,
                          .stack = 1,
                          .channel = 3,
                          .pseudo = 1,
                          .name = name,
                          .start = start,
                          .end = start + 1,
                          .data_start = data,
                          .data_end = data_end,
                          .write = write});
    };
    command("ACT", 1, 0, 0, false);
    command("RD", 2, 10, 12, false);
    command("RD", 4, 12, 14, false);
    command("WR", 6, 14, 16, true);
    command("WR", 9, 18, 20, true);
    command("REFab", 30, 0, 0, false);
    EXPECT_EQ(laid_out(log),
              (Texts{"chip 0/collective core 4 channel 1: entry 0 5-9 flags=2 doorbells=3",
                     "chip 0/dma 17 ring 9: data 10-30 bytes=512 descriptors=2 source=0 destination=0",
                     "chip 0/dma 17 ring 9: data 30-50 bytes=64 descriptors=2 source=0 destination=0",
                     "chip 0/hbm 1 channel 3 pseudo channel 1: read 10-14 bytes=64",
                     "chip 0/hbm 1 channel 3 pseudo channel 1: write 14-16 bytes=32",
                     "chip 0/hbm 1 channel 3 pseudo channel 1: write 18-20 bytes=32",
                     "chip 0/hbm 1 channel 3 pseudo channel 1: refresh 30"}));
}

// The events of another chip, kept by another process, give the same tracks as if they were kept here.
TEST(ServerTimeline, PutTogether) {
    ServerLog whole, here, there, all;
    for (ServerLog* each : {&whole, &there}) {
        each->link_frame(frame(1, LinkFrame::Kind::Packet, 5, 25, 17, 512));
        each->collective_entry({1, 4, 1, 0, 2, 3, 5, 9});
    }
    for (ServerLog* each : {&whole, &here}) {
        each->link_frame(frame(0, LinkFrame::Kind::Packet, 10, 30, 17, 512));
        each->link_stall({{0, 0}, 53, 60});
    }
    for (const ServerLog* each : {&there, &here}) all.add(each->bytes());
    EXPECT_EQ(laid_out(all), laid_out(whole));
    EXPECT_EQ(laid_out(all).size(), 4u);
}

// Each of two cores of a chip gets its own instructions and the packets of its queues' rings; the chip gets
// the others. An instruction that waited for a packet is joined to it, even if the packet of another engine
// was reported first.
TEST(ServerTimeline, Kernels) {
    neff::Package package;
    package.queues.resize(2);
    package.transfers.resize(1);
    package.transfers[0].queue = 1;
    package.transfers[0].semaphore = 7;
    const isa::Instruction nop(isa::Opcode::Nop);
    isa::Instruction waits = nop;
    waits.set(isa::field::WaitMode, static_cast<std::uint64_t>(isa::WaitMode::Ge));
    waits.set(isa::field::WaitSem, 7);
    waits.set(isa::field::WaitValue, 1);
    package.programs[static_cast<std::size_t>(isa::Engine::Vector)] = {nop, waits};
    const auto vector = static_cast<std::uint32_t>(isa::Engine::Vector);
    ServerLog log;
    const auto instruction = [&](unsigned core, std::uint32_t pc, std::uint64_t start, std::uint64_t end) {
        log.instruction({.engine = vector,
                         .pc = pc,
                         .issue_cycle = start,
                         .completion_cycle = end,
                         .start = start,
                         .end = end,
                         .core = {1, core}});
    };
    instruction(0, 0, 10, 20);
    instruction(0, 1, 50, 60);
    instruction(1, 0, 15, 30);
    const auto packet = [&](unsigned chip, unsigned core, std::uint32_t engine, std::uint32_t ring,
                            std::uint64_t start, std::uint64_t end) {
        log.packet({.chip = chip,
                    .core = core,
                    .engine = engine,
                    .ring = ring,
                    .start = start,
                    .end = end,
                    .bytes = 64,
                    .descriptors = 1});
    };
    packet(1, 0, 3, 1, 30, 40);   // in a queue of core 0
    packet(1, 0, 3, 2, 30, 45);   // on its engines, but in no queue
    packet(1, 1, 19, 0, 30, 50);  // in a queue of core 1
    packet(0, 0, 3, 1, 30, 55);   // on another chip
    Notes notes;
    const CoreKernel kernels[] = {{{1, 0}, &package}, {{1, 1}, &package}};
    lay_out_kernels(log, kernels, notes);
    std::vector<std::string> names;
    for (const std::string& event : notes.events) names.push_back(event.substr(0, event.find(" pc=")));
    EXPECT_EQ(names, (Texts{"chip 1 core 0/vector: nop 10-20",
                            "chip 1 dma 3/ring 1 :  30-40 bytes=64 descriptors=1 source=0 destination=0",
                            "chip 1 core 0/vector waits: S[7] >= 1 10-50", "chip 1 core 0/vector: nop 50-60",
                            "chip 1 core 1/vector: nop 15-30",
                            "chip 1 dma 19/ring 0 :  30-50 bytes=64 descriptors=1 source=0 destination=0"}));
    EXPECT_EQ(notes.flows, (Texts{"chip 1 dma 3/ring 1  40 - chip 1 core 0/vector 50"}));
    EXPECT_EQ(laid_out(log),
              (Texts{"chip 0/dma 3 ring 1: data 30-55 bytes=64 descriptors=1 source=0 destination=0",
                     "chip 1/dma 3 ring 2: data 30-45 bytes=64 descriptors=1 source=0 destination=0"}));
}

}  // namespace
}  // namespace trnsim::runtime
