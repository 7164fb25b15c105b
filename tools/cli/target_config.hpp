// The configuration of a container that is run without --config.
#pragma once

#include <string>

#include "lib/neff/package.hpp"

namespace trnsim::cli {

// The name of the shipped configuration whose core the kernel is built for. Throws std::runtime_error when
// there is none.
std::string config_for(const neff::Package& package);

}  // namespace trnsim::cli
