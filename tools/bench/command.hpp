// trnsim bench
#pragma once

#include "tools/command/command.hpp"

namespace trnsim::bench {

// As Command::declare.
void declare_bench(CLI::App& app, const command::Environment& environment, int& status);

}  // namespace trnsim::bench
