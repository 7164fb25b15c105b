// What made a result, besides what its point says.
#pragma once

#include <map>
#include <string>

namespace trnsim::sweep {

// A hash each of "program" (kernels and system are part of it), "core" (its RTL, the recipe and Verilator)
// and "estimates" (the tables behind energy and area).
using Origin = std::map<std::string, std::string>;

// Of this program, for a core with this hash.
Origin origin_of(const std::string& core);

// What differs: "another program, another core". Empty: nothing.
std::string difference(const Origin& before, const Origin& now);

}  // namespace trnsim::sweep
