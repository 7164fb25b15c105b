// The figures of a run as a table for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arch/config/config.hpp"
#include "model/estimates/energy.hpp"
#include "model/estimates/tables.hpp"
#include "runtime/session/runner.hpp"

namespace trnsim::runtime {

// Returns several lines: simulated time, cycles, utilisation of every engine that had a program, estimated
// energy, speed of the simulation. The first line has the outcome, or the verdict of the caller if there is one.
std::string summary(const Result& result, const neff::Package& package, const config::Config& config,
                    const estimates::Tables& tables, const std::string& verdict = "");

// Returns e.g. "vector instruction 3 [tensor_tensor ...] at kernel.py:31" for the first instruction that wrote a
// NaN; empty if none has.
std::string first_nan(const Figures& figures, const neff::Package& package);

// Returns e.g. "12.345 uJ, 1.234 W on average, 0.56 pJ a MAC (estimate)".
std::string format_energy(const estimates::Energy& energy);

// Returns a line for each of these that exists: the time from which the run continued, and its checkpoint.
std::string checkpoint_summary(const std::optional<std::uint64_t>& resumed,
                               const std::optional<CheckpointTimes>& checkpoint);

}  // namespace trnsim::runtime
