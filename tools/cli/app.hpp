// The command line as a function.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.hpp"

namespace trnsim::cli {

// Adds all commands to `app`.
void declare_commands(CLI::App& app, const Environment& environment, int& status);

// Declares -q and -v, before a command or after it.
void declare_verbosity(CLI::App& app, Verbosity& verbosity);

// Runs the command line; `arguments` are without the program's name. Returns the exit code (command.hpp);
// every error is one line on environment.err.
int run(const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace trnsim::cli
