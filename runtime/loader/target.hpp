// The check that a kernel is built for a configuration.
#pragma once

#include "arch/config/config.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::loader {

// Throws Error that names the first property in which the kernel's target differs from the configuration.
void check_target(const neff::Package& package, const config::Config& config);

}  // namespace trnsim::loader
