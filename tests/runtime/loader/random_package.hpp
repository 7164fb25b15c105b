// Valid packages with transfers of every kind: strides of both signs, loops, indices, combinations,
// transposes, images for GpSimd cores; sizes are no powers of two.
#pragma once

#include <random>

#include "arch/config/config.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::test {

// Returns a configuration with one to sixteen DMA engines.
config::Config random_config(std::mt19937_64& random);

neff::Package random_package(const config::Config& config, std::mt19937_64& random);

}  // namespace trnsim::test
