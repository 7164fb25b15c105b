// Finds the configuration that a container is run with.
#pragma once

#include <string>

#include "compiler/neff/package.hpp"

namespace trnsim::command {

// The configuration that kernels are built for unless --config names another one.
inline constexpr const char* DefaultConfig = "trn1";

// Returns the name of the shipped configuration with the core that the kernel is built for. Throws
// std::runtime_error when there is none.
std::string config_for(const neff::Package& package);

// Throws std::runtime_error for a name that is neither that of a configuration nor that of a server; paths are not
// looked at.
void check_chip_or_server(const std::string& name_or_path);

// Returns the configuration that --config stands for if one core runs: the name of a shipped server stands
// for the configuration of its chips.
std::string config_of_chips(const std::string& name_or_path);

}  // namespace trnsim::command
