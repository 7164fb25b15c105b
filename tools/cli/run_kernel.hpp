// Runs kernels on cores, with the files asked for, for `trnsim run`, `trnsim launch` and the commands built
// on them.
#pragma once

#include <functional>

#include "runtime/session/runner.hpp"
#include "tools/cli/command.hpp"
#include "tools/cli/run_options.hpp"

namespace trnsim::cli {

// Declares the options for the run itself: kernel, configuration, inputs, outputs, rounding, threads.
void declare_kernel_options(Subcommand app, RunOptions& options);
// Declares the options for what ends a run, of the machine or of the interpreter.
void declare_limits(Subcommand app, RunOptions& options);
// Declares --fail-on-unwritten.
void declare_unwritten(Subcommand app, RunOptions& options);
// Declares the options that belong to --wave of a core.
void declare_wave_parts(Subcommand app, RunOptions& options);

// Called when a kernel has run to its end on a core of a chip without an error.
using Finished = std::function<void(const neff::Package& package, const config::Config& config,
                                    const runtime::Result& result)>;

// Returns the exit code; prints the written files and simulation errors. Throws for bad input.
int run_kernel(const RunOptions& options, const Environment& environment, const Finished& finished = {});

}  // namespace trnsim::cli
