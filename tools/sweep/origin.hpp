// The origin of a result: what it depends on besides its point.
#pragma once

#include <map>
#include <string>

#include "testbench/trial/own_kernel.hpp"

namespace trnsim::sweep {

// One hash for each of: "program" (built-in kernels, system and fast core are part of it), "core" (for a
// verilated one: its RTL, the recipe and Verilator), "estimates" (the tables for energy and area) and, for a
// kernel that is not built in, "kernel" (its files).
using Origin = std::map<std::string, std::string>;

// Returns the origin of this program's results for a core with this hash; an empty hash means a fast core.
// `kernel` is null for a built-in one.
Origin origin_of(const std::string& core, const trial::OwnKernel* kernel);

// Names the differences, e.g. "another program, another core"; empty if there are none.
std::string difference(const Origin& before, const Origin& now);

}  // namespace trnsim::sweep
