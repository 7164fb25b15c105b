// Reads the tracks of a trace in the format of Chrome.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace trnsim::nccom {

// Returns fs for a time in us with nine digits after the decimal point.
inline std::uint64_t fs_of(const nlohmann::json& us) {
    return static_cast<std::uint64_t>(std::llround(us.get<double>() * 1e9));
}

struct Slice {
    std::string name;
    std::uint64_t start = 0, end = 0;
    std::map<std::string, std::uint64_t> figures{};
};
struct Track {
    std::vector<Slice> slices{};
    std::vector<std::uint64_t> instants{};
};

// Returns the tracks of each process, by the names of both.
inline std::map<std::string, std::map<std::string, Track>> tracks_of(const nlohmann::json& trace) {
    std::map<int, std::string> processes, threads;
    std::map<std::string, std::map<std::string, Track>> tracks;
    for (const nlohmann::json& event : trace.at("traceEvents")) {
        const std::string phase = event.at("ph"), name = event.at("name");
        if (name == "process_name") processes[event.at("pid")] = event.at("args").at("name");
        if (name == "thread_name") threads[event.at("tid")] = event.at("args").at("name");
        if (phase != "X" && phase != "i") continue;
        Track& track = tracks[processes.at(event.at("pid"))][threads.at(event.at("tid"))];
        if (phase == "i") {
            track.instants.push_back(fs_of(event.at("ts")));
            continue;
        }
        Slice slice{name, fs_of(event.at("ts")), fs_of(event.at("ts")) + fs_of(event.at("dur"))};
        for (const auto& [key, value] : event.at("args").items())
            if (value.is_number()) slice.figures[key] = value;
        track.slices.push_back(slice);
    }
    return tracks;
}

inline std::uint64_t sum(const Track& track, const std::string& figure) {
    std::uint64_t total = 0;
    for (const Slice& slice : track.slices) total += slice.figures.at(figure);
    return total;
}

inline std::uint64_t busy(const Track& track) {
    std::uint64_t total = 0;
    for (const Slice& slice : track.slices) total += slice.end - slice.start;
    return total;
}

inline void expect_no_overlap(const std::string& name, const Track& track) {
    for (std::size_t i = 1; i < track.slices.size(); ++i)
        EXPECT_GE(track.slices[i].start, track.slices[i - 1].end) << name << " slice " << i;
}

}  // namespace trnsim::nccom
