// The manual page, from the tree of commands.
#pragma once

#include <string>

#include "tools/command/subcommand.hpp"

namespace trnsim::cli {

// Returns trnsim.1, in the man macros.
std::string man_page(const CLI::App& app, const std::string& version);

}  // namespace trnsim::cli
