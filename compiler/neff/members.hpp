// A compiled kernel as the members of the container's tar.
#pragma once

#include "compiler/neff/archive.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::neff {

Members to_members(const Package& package);

// Reads the members. Throws Error with member and path. The result is complete but not checked (check.hpp).
Package from_members(const Members& members);

}  // namespace trnsim::neff
