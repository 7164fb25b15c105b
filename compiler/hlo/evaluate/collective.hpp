// Collectives among the devices that run a module together.
#pragma once

#include <vector>

#include "compiler/hlo/evaluate/context.hpp"

namespace trnsim::hlo::evaluate {

struct Topology {
    std::int64_t replicas, partitions;
};

// Evaluates a collective on the devices that reached it, which are in `devices` with their operands. Throws Error where
// a device of a group is not among them. `operation` is that of the first device.
std::vector<Value> evaluate_collective(const Topology& topology, const std::vector<std::int64_t>& devices,
                                       const std::vector<std::vector<Value>>& operands,
                                       const Operation& operation);

}  // namespace trnsim::hlo::evaluate
