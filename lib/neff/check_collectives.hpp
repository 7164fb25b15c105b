// What a package's collectives have to hold to.
#pragma once

#include <string>

#include "lib/neff/error.hpp"
#include "lib/neff/package.hpp"

namespace trnsim::neff {

// A transfer that is a collective; `where` begins the message of an Error.
void check_collective(const Package& package, const Transfer& transfer, const std::string& where);

// Of all together: they are for one number of ranks, in one queue that has nothing else.
void check_collectives(const Package& package);

}  // namespace trnsim::neff
