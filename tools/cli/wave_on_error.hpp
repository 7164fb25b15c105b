// Records the waveform of a failed run: runs it again, which gives the same run, and records it where it
// failed.
#pragma once

#include "tools/cli/command.hpp"
#include "tools/cli/run_options.hpp"

namespace trnsim::cli {

// Core cycles that are recorded before a failure, or for a hang, before the last progress.
constexpr std::uint64_t ErrorCycles = 5000;

// Writes options.wave_on_error. Returns false if that run was interrupted before it failed.
bool record_error(const RunOptions& options, const runtime::Result& result, const config::Config& config,
                  const Environment& environment);

}  // namespace trnsim::cli
