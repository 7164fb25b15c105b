// Completion of command lines, and the manual page, from the tree of commands.
#pragma once

#include <string>

#include "tools/command/subcommand.hpp"

namespace trnsim::cli {

// Return a script for the shell to read. Commands and options come from `app`; the script asks the program
// for names of kernels and configurations when they are needed.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

// Returns trnsim.1, in the man macros.
std::string man_page(const CLI::App& app, const std::string& version);

}  // namespace trnsim::cli
