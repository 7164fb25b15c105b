// A run's figures as JSON and as a table.
#pragma once

#include <string>

#include "testbench/config/config.hpp"
#include "testbench/runtime/runner.hpp"

namespace trnsim::runtime {

// All figures with the configuration and versions they belong to. Cycles are core cycles, times in seconds.
std::string to_json(const Result& result, const neff::Package& package, const config::Config& config);

// Simulated time, cycles, utilisation of every engine that had a program, speed of the simulation; several
// lines.
std::string summary(const Result& result, const neff::Package& package, const config::Config& config);

}  // namespace trnsim::runtime
