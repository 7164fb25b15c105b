// Runs one point: the kernel on a core of the point's configuration and fidelity, or on ranks of its server,
// with random inputs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "tools/sweep/origin.hpp"
#include "tools/sweep/plan.hpp"

namespace trnsim::sweep {

enum class Status : std::uint8_t { Ok, Mismatch, Failed, Timeout };

// Returns "ok", "mismatch", "failed" or "timeout".
std::string_view name_of(Status status);
Status status_of(std::string_view name);  // throws std::runtime_error for another name

struct PointResult {
    Status status = Status::Failed;
    std::string reason;                     // one line; empty when ok
    std::map<std::string, double> metrics;  // all that exist; empty unless ok or mismatch
    std::string rtl_hash, verilator;        // of the core that ran; empty if it is fast
    Origin origin;
    double wall_seconds = 0, cpu_seconds = 0;
    std::map<std::string, std::string> recordings;  // "trace", "wave": file, relative to the sweep's folder
};

struct RunSettings {
    std::uint64_t seed = 0;
    bool check = true;
    std::filesystem::path core;         // folder of the core's library; empty: the default places
    std::filesystem::path trace, wave;  // files to record; empty if none
};

// Call once in a process. Recordings exist, too, when the simulation finds an error. Random inputs depend on
// the seed, the kernel and its arguments, not on the configuration. Throws std::exception when the kernel
// cannot be built or the simulation finds an error.
PointResult run_point(const Point& point, const RunSettings& settings);

}  // namespace trnsim::sweep
