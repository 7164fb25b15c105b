// The rules for a package's collectives.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/neff/error.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::neff {

// The most collectives of a kernel, counted in every iteration of a loop.
inline constexpr std::uint64_t MaxCollectives = 1U << 16;

// Checks a transfer that is a collective, in each of so many iterations of its loop; `where` begins the
// message of an Error.
void check_collective(const Package& package, const Transfer& transfer, std::uint32_t iterations,
                      const std::string& where);

// Checks all together: they are not too many, for one number of ranks, in one queue that has nothing else.
void check_collectives(const Package& package);

}  // namespace trnsim::neff
