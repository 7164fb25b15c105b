// --threads: the number of host threads of a simulated core.
#pragma once

#include <string>

#include "tools/command/subcommand.hpp"

namespace trnsim::command {

void declare_threads(Subcommand app, std::string& threads);

// Parses a number of threads from 1 to a limit. Throws std::runtime_error for another text.
unsigned parse_threads(const std::string& text);

}  // namespace trnsim::command
