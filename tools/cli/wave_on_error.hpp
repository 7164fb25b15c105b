// Records the waveform of a failed run: runs it again, which gives the same run, and records it where it
// failed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/cli/command.hpp"
#include "tools/cli/run_options.hpp"

namespace trnsim::cli {

// Core cycles that are recorded before a failure, or for a hang, before the last progress.
constexpr std::uint64_t ErrorCycles = 5000;

// The part of a run that shows its failure.
struct ErrorPlace {
    std::uint64_t first = 0;              // fs of simulated time
    std::optional<std::uint64_t> last{};  // fs; none: to the end of the run
    std::string element{};                // the wrong element of an output, "y[5,700]"; empty: there is none
};

// Returns the end of a run that has not come to its end: the last cycles before, or those around the last
// progress of one that hung.
ErrorPlace end_of(const runtime::Result& result, const config::Config& config);
// Returns the cycles from a while before core cycle `first` to a while after `last`.
ErrorPlace around(std::uint64_t first, std::uint64_t last, const config::Config& config);

// Writes options.wave_on_error. Returns false and prints the reason if there is no waveform.
bool record_error(const RunOptions& options, const runtime::Result& result, const ErrorPlace& place,
                  const Environment& environment);

}  // namespace trnsim::cli
