// What `trnsim run`, `trnsim launch` and the commands built on them do: kernels on cores, with the files asked for.
#pragma once

#include <functional>

#include "runtime/session/runner.hpp"
#include "tools/cli/command.hpp"
#include "tools/cli/run_options.hpp"

namespace trnsim::cli {

// The options that say what runs: kernel, configuration, inputs, outputs, rounding, threads.
void declare_kernel_options(Subcommand app, RunOptions& options);
// Those of --wave, where it is of a core.
void declare_wave_parts(Subcommand app, RunOptions& options);

// Called when a kernel has run to its end on a core of a chip and nothing was wrong.
using Finished = std::function<void(const neff::Package& package, const config::Config& config,
                                    const runtime::Result& result)>;

// Returns the exit code; what was written and simulation errors are printed. Throws for bad input.
int run_kernel(const RunOptions& options, const Environment& environment, const Finished& finished = {});

}  // namespace trnsim::cli
