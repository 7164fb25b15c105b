// trnsim parity
#pragma once

#include "tools/command/command.hpp"

namespace trnsim::parity {

// See command::Command::declare.
void declare_parity(command::Subcommand app, const command::Environment& environment, int& status);

}  // namespace trnsim::parity
