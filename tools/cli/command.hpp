// Lets the commands of the program use names of tools/command without its namespace.
#pragma once

#include "tools/command/command.hpp"

namespace trnsim::cli {

using namespace command;

}  // namespace trnsim::cli
