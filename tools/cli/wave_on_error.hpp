// The waveform of a run that failed: it is run again, which gives the same run, and recorded where it failed.
#pragma once

#include "tools/cli/command.hpp"
#include "tools/cli/run_options.hpp"

namespace trnsim::cli {

// Core cycles before a failure that are recorded; before a hang, those before the last progress.
constexpr std::uint64_t ErrorCycles = 5000;

// Writes options.wave_on_error; false when the run was interrupted and has not failed.
bool record_error(const RunOptions& options, const runtime::Result& result, const config::Config& config,
                  const Environment& environment);

}  // namespace trnsim::cli
