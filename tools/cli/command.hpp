// Commands of the program speak of what they are made of (tools/command) without its namespace.
#pragma once

#include "tools/command/command.hpp"

namespace trnsim::cli {

using namespace command;

}  // namespace trnsim::cli
