// Runs kernels on cores of a server, in processes that simulate it.
#pragma once

#include "tools/cli/command.hpp"
#include "tools/cli/run_request.hpp"

namespace trnsim::cli {

// Throws std::runtime_error if mpirun has started several processes, each of which would simulate the whole
// server and write the same files.
void expect_one_process();

// Returns the exit status. Throws std::runtime_error for options or files that do not fit together.
int run_on_server(const RunRequest& request, const Environment& environment);

}  // namespace trnsim::cli
