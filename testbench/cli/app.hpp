// The command line as a function.
#pragma once

#include <string>
#include <vector>

#include "testbench/cli/command.hpp"

namespace trnsim::cli {

// `arguments` without the program's name. Returns the exit code (command.hpp); every error is one line on
// environment.err.
int run(const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace trnsim::cli
