// The target of a configuration.
#pragma once

#include "testbench/config/config.hpp"
#include "testbench/neff/package.hpp"

namespace trnsim::builder {

// What kernels for `config` are built for.
neff::Target target_of(const config::Config& config);

}  // namespace trnsim::builder
