// What made a result, besides what its point says.
#pragma once

#include <map>
#include <string>

#include "testbench/trial/own_kernel.hpp"

namespace trnsim::sweep {

// A hash each of "program" (built-in kernels, system and fast core are part of it), "core" (of a verilated one:
// its RTL, the recipe and Verilator), "estimates" (the tables behind energy and area) and, where it is not built in, "kernel" (its
// files).
using Origin = std::map<std::string, std::string>;

// Of this program, for a core with this hash; empty: a fast core. `kernel`: null for a built-in one.
Origin origin_of(const std::string& core, const trial::OwnKernel* kernel);

// What differs: "another program, another core". Empty: nothing.
std::string difference(const Origin& before, const Origin& now);

}  // namespace trnsim::sweep
