// The properties of a configuration that kernels are built for.
#pragma once

#include "testbench/config/config.hpp"
#include "testbench/neff/package.hpp"

namespace trnsim::runtime {

neff::Target target_of(const config::Config& config);

// Throws Error that names the first property in which the kernel's target differs from the configuration.
void check_target(const neff::Package& package, const config::Config& config);

}  // namespace trnsim::runtime
