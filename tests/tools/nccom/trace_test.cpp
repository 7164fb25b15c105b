// Tests --trace and --wave of the command: compares the tracks with the server's statistics, the volume of
// the collective and the untraced run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/nccom/tracks.hpp"
#include "tools/nccom/command.hpp"

namespace trnsim::nccom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path path_of(const std::string& name) {
    return fs::path(testing::TempDir()) / ("nccom_trace_" + name);
}

std::string text_of(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

// Returns the bytes of all tracks "ENGINE ring 8".
std::uint64_t bytes_of_rings(const std::map<std::string, Track>& tracks, const std::string& engine,
                             std::size_t& packets) {
    std::uint64_t bytes = 0;
    for (const auto& [name, track] : tracks) {
        if (!name.starts_with(engine + " ring ")) continue;
        bytes += sum(track, "bytes");
        packets += track.slices.size();
    }
    return bytes;
}

struct Traced {
    json trace, statistics, report;
    std::string text;
};

Arguments arguments_of(const std::string& operation, const std::string& server, unsigned ranks,
                       const std::string& size) {
    Arguments arguments;
    arguments.operation = operation;
    arguments.server = server;
    arguments.ranks = ranks;
    arguments.from = arguments.to = size;
    arguments.type = "bf16";
    return arguments;
}

Traced run_traced(Arguments arguments) {
    arguments.trace = path_of("trace.json").string();
    arguments.server_statistics = path_of("statistics.json").string();
    arguments.report = path_of("report.json").string();
    std::ostringstream out;
    EXPECT_EQ(run(arguments, out).errors, 0u);
    Traced traced;
    traced.text = text_of(arguments.trace);
    traced.trace = json::parse(traced.text);
    traced.statistics = json::parse(text_of(arguments.server_statistics)).at("sizes")[0];
    traced.report = json::parse(text_of(arguments.report));
    for (const std::string& path : {arguments.trace, arguments.server_statistics, arguments.report})
        fs::remove(path);
    return traced;
}

json report_of_untraced(Arguments arguments) {
    arguments.report = path_of("untraced.json").string();
    std::ostringstream out;
    run(arguments, out);
    json report = json::parse(text_of(arguments.report));
    fs::remove(arguments.report);
    return report;
}

void expect_links_as_counted(const Traced& traced) {
    const auto tracks = tracks_of(traced.trace);
    std::size_t seen = 0;
    for (const json& link : traced.statistics.at("links")) {
        const std::string from = link.at("from"), to = link.at("to");
        const std::string name = fmt::format("link {} to {}", from, to);
        const json& sent = link.at("sent");
        const auto chip = tracks.find("chip " + from.substr(0, from.find('.')));
        const bool idle = chip == tracks.end() || !chip->second.contains(name);
        EXPECT_EQ(idle, sent.at("frames") == 0u) << name;
        if (idle) continue;
        ++seen;
        const Track& track = chip->second.at(name);
        expect_no_overlap(name, track);
        EXPECT_NEAR(static_cast<double>(busy(track)) * 1e-15, sent.at("busy_seconds").get<double>(), 1e-18)
            << name;
        EXPECT_EQ(sum(track, "bytes"), sent.at("bytes")) << name;
        EXPECT_EQ(sum(track, "flits"), sent.at("flits")) << name;
        EXPECT_EQ(sum(track, "packets"), sent.at("packets")) << name;
        EXPECT_EQ(sum(track, "repeated packets"), sent.at("repeated_packets")) << name;
        EXPECT_EQ(sum(track, "control frames"), sent.at("control_frames")) << name;
        EXPECT_EQ(track.instants.size(), sent.at("retries")) << name;
        const auto waits = chip->second.find(name + " waits");
        EXPECT_EQ(waits == chip->second.end() ? 0 : waits->second.slices.size(), sent.at("credit_stalls"));
        if (waits == chip->second.end()) continue;
        expect_no_overlap(waits->first, waits->second);
        EXPECT_NEAR(static_cast<double>(busy(waits->second)) * 1e-15,
                    sent.at("credit_stall_seconds").get<double>(), 1e-18);
    }
    EXPECT_GT(seen, 0u);
}

void expect_engines_as_counted(const Traced& traced) {
    const auto tracks = tracks_of(traced.trace);
    for (const json& chip : traced.statistics.at("chips")) {
        const auto& dma = chip.at("dma");
        const std::string name = "chip " + std::to_string(chip.at("chip").get<unsigned>());
        for (std::size_t engine = 0; engine < dma.size(); ++engine) {
            std::size_t packets = 0;
            const std::uint64_t bytes =
                bytes_of_rings(tracks.at(name), "dma " + std::to_string(engine), packets);
            EXPECT_EQ(bytes, dma[engine].at("bytes_read")) << name << " engine " << engine;
            EXPECT_EQ(packets, dma[engine].at("packets")) << name << " engine " << engine;
        }
    }
}

// The entries of a channel cover its time without gaps, from the start of the execution on.
void expect_channels_without_gaps(const Traced& traced) {
    const auto tracks = tracks_of(traced.trace);
    const Slice execution = tracks.at(traced.statistics.at("chips").size() == 4 ? "trn1-4" : "trn1.32xlarge")
                                .at("collective")
                                .slices.at(0);
    std::size_t channels = 0, doorbells = 0;
    for (const auto& [process, units] : tracks) {
        for (const auto& [name, track] : units) {
            if (!name.starts_with("collective core")) continue;
            ++channels;
            EXPECT_EQ(track.slices.front().start, execution.start) << process << name;
            EXPECT_LE(track.slices.back().end, execution.end) << process << name;
            for (std::size_t i = 0; i < track.slices.size(); ++i) {
                EXPECT_EQ(track.slices[i].name, "entry " + std::to_string(i)) << process << name;
                if (i > 0) {
                    EXPECT_EQ(track.slices[i].start, track.slices[i - 1].end) << process << name;
                }
            }
            doorbells += sum(track, "doorbells");
        }
    }
    EXPECT_GT(channels, 0u);
    EXPECT_GT(doorbells, 0u);
}

TEST(NccomTrace, AgreesWithTheStatistics) {
    for (const char* algorithm : {"ring", "mesh", "halving-doubling", "kangaring"}) {
        SCOPED_TRACE(algorithm);
        Arguments arguments = arguments_of("allr", "trn1-4", 8, "100000");
        arguments.algorithm = algorithm;
        const Traced traced = run_traced(arguments);
        expect_links_as_counted(traced);
        expect_engines_as_counted(traced);
        expect_channels_without_gaps(traced);
        EXPECT_EQ(traced.report, report_of_untraced(arguments)) << "tracing changes no time";
    }
}

TEST(NccomTrace, PerturbedToo) {
    Arguments arguments = arguments_of("allr", "trn1-4", 8, "64K");
    arguments.perturb = "5";
    const Traced traced = run_traced(arguments);
    expect_links_as_counted(traced);
    expect_engines_as_counted(traced);
    EXPECT_EQ(traced.report, report_of_untraced(arguments));
}

// Rank r sends its bytes to r + 1. There are eight ranks on four chips, each with a cable to each other; the
// bytes of every second rank cross one cable. Only these bytes and the flags cross it.
TEST(NccomTrace, BytesAreThoseOfAPermutation) {
    constexpr std::uint64_t Size = 98'304;
    const Traced traced = run_traced(arguments_of("permute", "trn1-4", 8, std::to_string(Size)));
    const auto tracks = tracks_of(traced.trace);
    for (unsigned chip = 0; chip < 4; ++chip) {
        const std::string to = " to chip " + std::to_string((chip + 1) % 4);
        std::map<std::string, std::uint64_t> bytes;
        for (const auto& [name, track] : tracks.at("chip " + std::to_string(chip))) {
            if (!name.starts_with("dma ")) continue;
            for (const Slice& slice : track.slices) bytes[slice.name] += slice.figures.at("bytes");
        }
        EXPECT_EQ(bytes["data"], Size) << "to the other core";
        EXPECT_EQ(bytes["data" + to] + bytes["data from chip " + std::to_string((chip + 3) % 4)], Size);
        std::uint64_t crossed = 0;
        for (const auto& [name, track] : tracks.at("chip " + std::to_string(chip))) {
            const bool next = name.starts_with("link ") &&
                              name.ends_with("." + name.substr(name.size() - 1)) &&
                              name[name.find(" to ") + 4] == static_cast<char>('0' + (chip + 1) % 4);
            if (next) crossed += sum(track, "bytes");
        }
        EXPECT_EQ(crossed, Size + bytes["flag" + to]) << "from chip " << chip;
    }
}

TEST(NccomTrace, IterationsFollowEachOther) {
    Arguments arguments = arguments_of("allg", "trn1-4", 8, "4K");
    arguments.iterations = 2;
    arguments.warmup = 1;
    const Traced traced = run_traced(arguments);
    const Track& track = tracks_of(traced.trace).at("trn1-4").at("collective");
    ASSERT_EQ(track.slices.size(), 3u);
    expect_no_overlap("collective", track);
    expect_links_as_counted(traced);
    expect_engines_as_counted(traced);
}

TEST(NccomTrace, ChannelsOfBanks) {
    Arguments arguments = arguments_of("allr", "trn1-4", 8, "32K");
    arguments.settings = {"hbm.model=banked"};
    const Traced traced = run_traced(arguments);
    const auto tracks = tracks_of(traced.trace);
    std::uint64_t moved = 0, refreshes = 0;
    for (const json& chip : traced.statistics.at("chips")) {
        const auto& units = tracks.at("chip " + std::to_string(chip.at("chip").get<unsigned>()));
        for (std::size_t stack = 0; stack < chip.at("hbm").size(); ++stack) {
            const json& channels = chip.at("hbm")[stack].at("channels");
            for (std::size_t channel = 0; channel < channels.size(); ++channel) {
                std::map<std::string, std::uint64_t> bytes;
                std::size_t refreshed = 0;
                for (const char* pseudo : {"0", "1"}) {
                    const std::string name = "hbm " + std::to_string(stack) + " channel " +
                                             std::to_string(channel) + " pseudo channel " + pseudo;
                    if (!units.contains(name)) continue;
                    expect_no_overlap(name, units.at(name));
                    refreshed += units.at(name).instants.size();
                    for (const Slice& slice : units.at(name).slices) {
                        bytes[slice.name] += slice.figures.at("bytes");
                        // 32 bytes take two cycles of 625 ps.
                        EXPECT_EQ((slice.end - slice.start) * 32, slice.figures.at("bytes") * 1'250'000);
                    }
                }
                EXPECT_EQ(bytes["read"], channels[channel].at("bytes_read"));
                EXPECT_EQ(bytes["write"], channels[channel].at("bytes_written"));
                EXPECT_EQ(refreshed, channels[channel].at("refreshes").at("all_bank"));
                moved += bytes["read"] + bytes["write"];
                refreshes += refreshed;
            }
        }
    }
    EXPECT_GT(moved, 8 * 32'768u);
    EXPECT_GT(refreshes, 0u);
    EXPECT_EQ(traced.report, report_of_untraced(arguments)) << "reporting commands changes no time";
}

// Trace and waveform are equal byte for byte. The waveform's header contains the date, so only the bytes
// after it are compared.
TEST(NccomTrace, TheSameFilesOfSeveralProcesses) {
    constexpr std::size_t FstHeader = 330;
    Arguments arguments = arguments_of("allr", "trn1-4", 8, "50000");
    arguments.wave = path_of("wave.fst").string();
    arguments.settings = {"hbm.model=banked"};
    std::string trace, wave;
    for (const unsigned processes : {1u, 2u, 4u}) {
        arguments.processes = processes;
        const Traced traced = run_traced(arguments);
        const std::string recorded = text_of(arguments.wave);
        ASSERT_GT(recorded.size(), 10'000u);
        if (processes == 1) {
            trace = traced.text;
            wave = recorded;
        }
        EXPECT_TRUE(traced.text == trace) << processes;
        EXPECT_TRUE(recorded.substr(FstHeader) == wave.substr(FstHeader)) << processes;
        EXPECT_TRUE(fs::exists(path_of("wave.link.gtkw")));
        fs::remove(arguments.wave);
    }
}

std::string refusal(const Arguments& arguments) {
    std::ostringstream out;
    try {
        run(arguments, out);
    } catch (const std::exception& error) {
        EXPECT_EQ(out.str(), "") << "before anything is simulated";
        return error.what();
    }
    return "nothing";
}

TEST(NccomTrace, WhatIsRefused) {
    Arguments sound = arguments_of("allr", "trn1-4", 8, "4K");
    for (const auto& [option, member] :
         {std::pair("--trace", &Arguments::trace), {"--wave", &Arguments::wave}}) {
        Arguments arguments = sound;
        arguments.*member = path_of("no.fst").string();
        arguments.nodes = 2;
        arguments.ranks = 16;
        EXPECT_EQ(refusal(arguments), std::string(option) + ": expected one server");
        arguments = sound;
        arguments.*member = path_of("no.fst").string();
        arguments.to = "16K";
        arguments.factor = 2;
        EXPECT_EQ(refusal(arguments), std::string(option) + ": 3 sizes, expected one");
        arguments = sound;
        arguments.*member = "/nowhere/no.fst";
        EXPECT_EQ(refusal(arguments), "/nowhere/no.fst: cannot write: No such file or directory");
        arguments.*member = arguments.report = path_of("no.fst").string();
        EXPECT_EQ(refusal(arguments),
                  std::string(option) + " " + arguments.report + ": the same file as --report-to-json-file");
    }
    sound.wave = path_of("no.vcd").string();
    EXPECT_EQ(refusal(sound),
              "--wave " + sound.wave + ": expected a name that ends in .fst, the only format there is");
    EXPECT_FALSE(fs::exists(path_of("no.fst")));
    EXPECT_FALSE(fs::exists(path_of("no.vcd")));
}

}  // namespace
}  // namespace trnsim::nccom
