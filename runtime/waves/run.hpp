// Files beside a recording FILE.fst, in the folder FILE.wave: the part of it that is the run, the element that
// it is about, and the instructions of each program as a table with which GTKWave translates indices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "arch/config/config.hpp"
#include "compiler/neff/package.hpp"
#include "runtime/session/result.hpp"
#include "runtime/waves/element.hpp"

namespace trnsim::waves {

struct Run {
    std::uint64_t clock = 0;           // Hz, clock of the core
    std::uint64_t start = 0, end = 0;  // fs, from the start of the first engine to the end of all activity
    std::optional<Element> element{};  // the recording is about it
};

// Returns the times of the run; one that hung ends at its last progress.
Run run_of(const runtime::Result& result, const config::Config& config);

std::filesystem::path folder_of(const std::filesystem::path& recording);

// Returns the table of an engine's program.
std::filesystem::path table_of(const std::filesystem::path& recording, isa::Engine engine);

// Writes the files. Throws files::Error.
void write_run(const std::filesystem::path& recording, const Run& run, const neff::Package& package);

// A recording that is under way has the tables of its programs, and the clock if that is not 0, in the folder in
// which it is written, for the case that its program is killed. begin_run() writes them. recover_run() replaces
// the files beside `recording` by those of such a folder; the run goes from `start` to `end`, fs. Without a clock
// there, or for a recording of a server, only the old files of another run go. Throw files::Error.
void begin_run(const std::filesystem::path& under_way, std::uint64_t clock, const neff::Package& package);
void recover_run(const std::filesystem::path& recording, const std::filesystem::path& under_way,
                 std::uint64_t start, std::uint64_t end);

// Returns nothing for a recording without them; throws std::runtime_error for a broken one.
std::optional<Run> read_run(const std::filesystem::path& recording);

}  // namespace trnsim::waves
