// trnsim compile
#pragma once

#include "tools/command/command.hpp"

namespace trnsim::compile {

inline constexpr const char* Summary = "Check, print or evaluate a graph of PyTorch/XLA or JAX";

// See command::Command::declare.
void declare_compile(command::Subcommand app, const command::Environment& environment, int& status);

}  // namespace trnsim::compile
