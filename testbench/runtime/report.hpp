// A run's figures as JSON and as a table.
#pragma once

#include <string>

#include "testbench/config/config.hpp"
#include "testbench/estimates/tables.hpp"
#include "testbench/runtime/runner.hpp"

namespace trnsim::runtime {

// All figures with the configuration and versions they belong to, and estimates of energy and area. Cycles
// are core cycles, times in seconds.
std::string to_json(const Result& result, const neff::Package& package, const config::Config& config,
                    const estimates::Tables& tables);

// Simulated time, cycles, utilisation of every engine that had a program, estimated energy, speed of the
// simulation; several lines.
std::string summary(const Result& result, const neff::Package& package, const config::Config& config,
                    const estimates::Tables& tables);

}  // namespace trnsim::runtime
