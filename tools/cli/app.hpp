// The command line as a function.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/cli/command.hpp"

namespace trnsim::cli {

// Adds the commands to `app`.
void declare_commands(CLI::App& app, std::span<const Command> commands, const Environment& environment,
                      int& status);

// Declares -q and -v, before a command or after it.
void declare_verbosity(CLI::App& app, Verbosity& verbosity);

// Runs the command line; `arguments` are without the program's name. Returns the exit code (command.hpp);
// every error is one line on environment.err.
int run(std::span<const Command> commands, const std::vector<std::string>& arguments,
        const Environment& environment);

// Does so with all commands of the program that it is linked into.
int run(const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace trnsim::cli
