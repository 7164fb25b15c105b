// What trnsim keeps beside a recording FILE.fst, in the folder FILE.wave: which part of it is the run, and
// the instructions of each program as a table that GTKWave translates indices by.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "arch/config/config.hpp"
#include "compiler/neff/package.hpp"
#include "runtime/session/result.hpp"

namespace trnsim::waves {

struct Run {
    std::uint64_t clock = 0;           // of the core, Hz
    std::uint64_t start = 0, end = 0;  // fs, from the start of the first engine to the end of all activity
};

// Of a run that hung the end is its last progress.
Run run_of(const runtime::Result& result, const config::Config& config);

std::filesystem::path folder_of(const std::filesystem::path& recording);

// The table of an engine's program.
std::filesystem::path table_of(const std::filesystem::path& recording, isa::Engine engine);

// Throws files::Error.
void write_run(const std::filesystem::path& recording, const Run& run, const neff::Package& package);

// Nothing for a recording without; throws std::runtime_error for a broken one.
std::optional<Run> read_run(const std::filesystem::path& recording);

}  // namespace trnsim::waves
