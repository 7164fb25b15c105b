// A run's figures as a table to read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arch/config/config.hpp"
#include "model/estimates/tables.hpp"
#include "runtime/session/runner.hpp"

namespace trnsim::runtime {

// Simulated time, cycles, utilisation of every engine that had a program, estimated energy, speed of the
// simulation; several lines.
std::string summary(const Result& result, const neff::Package& package, const config::Config& config,
                    const estimates::Tables& tables);

// Of these what there is: from where the run has gone on, and its checkpoint; a line each.
std::string checkpoint_summary(const std::optional<std::uint64_t>& resumed,
                               const std::optional<CheckpointTimes>& checkpoint);

}  // namespace trnsim::runtime
