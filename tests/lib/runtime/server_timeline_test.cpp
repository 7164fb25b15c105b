// Tracks of a server made of events by hand.
#include "lib/runtime/server_timeline.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trnsim::runtime {
namespace {

using tlm::trace::LinkFrame;
using Texts = std::vector<std::string>;

// Writes down what it is told.
struct Notes : Tracks {
    std::uint32_t add_track(std::string_view group, std::string_view name) override {
        tracks.push_back(fmt::format("{}/{}", group, name));
        return static_cast<std::uint32_t>(tracks.size() - 1);
    }
    void slice(std::uint32_t track, std::string_view name, std::uint64_t start, std::uint64_t end,
               std::span<const Argument> arguments) override {
        std::string text = fmt::format("{}: {} {}-{}", tracks[track], name, start, end);
        for (const auto& [key, value] : arguments)
            text += fmt::format(" {}={}", key, std::get<std::uint64_t>(value));
        events.push_back(text);
    }
    void instant(std::uint32_t track, std::string_view name, std::uint64_t time) override {
        events.push_back(fmt::format("{}: {} {}", tracks[track], name, time));
    }
    void flow(std::uint32_t, std::uint64_t, std::uint32_t, std::uint64_t) override {}
    void change(std::string_view, std::uint64_t, double) override {}

    std::vector<std::string> tracks, events;
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

// What another process has kept of another chip is as if it had been kept here.
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

}  // namespace
}  // namespace trnsim::runtime
