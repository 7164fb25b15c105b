// --threads: how many a simulated core works with.
#pragma once

#include <string>

#include "tools/command/subcommand.hpp"

namespace trnsim::command {

void declare_threads(Subcommand app, std::string& threads);

// Throws std::runtime_error unless the text is a number of threads, 1 to a limit.
unsigned parse_threads(const std::string& text);

}  // namespace trnsim::command
