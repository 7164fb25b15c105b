// Options of `trnsim run` about checkpoints, from text to what the runtime takes.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "lib/runtime/checkpoint.hpp"
#include "tools/cli/run_options.hpp"

namespace trnsim::cli {

void declare_checkpoint_options(CLI::App& app, RunOptions& options);

// All throw std::runtime_error with the option and what was expected.

// Refuses options without the one they belong to, and what goes with no checkpoint.
void check_checkpoint_options(const RunOptions& options);

// Where the run comes to its checkpoint, and what happens there; none: it does not.
std::optional<runtime::CheckpointRequest> parse_checkpoint(const RunOptions& options, std::uint64_t clock_hz);

// Of --resume.
std::optional<checkpoint::SystemState> read_checkpoint(const RunOptions& options);

}  // namespace trnsim::cli
