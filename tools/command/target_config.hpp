// The configuration that a container is run with.
#pragma once

#include <string>

#include "compiler/neff/package.hpp"

namespace trnsim::command {

// What kernels are built for unless --config says otherwise.
inline constexpr const char* DefaultConfig = "trn1";

// The name of the shipped configuration whose core the kernel is built for. Throws std::runtime_error when
// there is none.
std::string config_for(const neff::Package& package);

// What --config stands for where one core runs: the name of a shipped server for the configuration of its chips.
std::string config_of_chips(const std::string& name_or_path);

}  // namespace trnsim::command
