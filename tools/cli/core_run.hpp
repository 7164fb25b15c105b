// Runs a kernel on a core of a chip, in this process.
#pragma once

#include "tools/cli/command.hpp"
#include "tools/cli/run_kernel.hpp"
#include "tools/cli/run_request.hpp"

namespace trnsim::cli {

// Returns the exit code; prints the written files and simulation errors. Throws for bad input.
int run_on_core(const RunRequest& request, const Environment& environment, const Finished& finished);

}  // namespace trnsim::cli
