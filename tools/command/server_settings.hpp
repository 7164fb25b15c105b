// Options of the commands that simulate a server.
#pragma once

#include <string>
#include <vector>

#include "tools/command/command.hpp"

namespace trnsim::command {

// Declares --set and --cut, the arguments of tlm::load_server().
void declare_settings(Subcommand app, std::vector<std::string>& settings, std::vector<std::string>& cuts);

}  // namespace trnsim::command
