// A run's figures as a table to read.
#pragma once

#include <string>

#include "lib/config/config.hpp"
#include "lib/estimates/tables.hpp"
#include "lib/runtime/runner.hpp"

namespace trnsim::runtime {

// Simulated time, cycles, utilisation of every engine that had a program, estimated energy, speed of the
// simulation; several lines.
std::string summary(const Result& result, const neff::Package& package, const config::Config& config,
                    const estimates::Tables& tables);

}  // namespace trnsim::runtime
