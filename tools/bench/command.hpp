// trnsim bench
#pragma once

#include "tools/command/command.hpp"

namespace trnsim::bench {

// See command::Command::declare.
void declare_bench(command::Subcommand app, const command::Environment& environment, int& status);

}  // namespace trnsim::bench
