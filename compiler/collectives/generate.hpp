// From what is asked for and a plan to a schedule.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/collectives/request.hpp"
#include "compiler/collectives/schedule.hpp"

namespace trnsim::collectives {

struct Plan {
    Algorithm algorithm = Algorithm::Ring;
    // Of ring and kangaring, of hierarchical within an inner group: orders of the members, each of which
    // carries an equal part of every chunk. Empty: one, in the order of the members.
    std::vector<std::vector<std::uint32_t>> cycles = {};
    // Of hierarchical: members of an inner group. They follow each other.
    std::uint32_t inner = 0;
};

// The algorithms that there are for an operation, the one that takes any number of ranks first.
std::span<const Algorithm> algorithms(Operation operation);

// Begins when every rank's input is written and nobody uses its output and scratch any more. Throws Error:
// `request: ...`, `plan: ...`.
Schedule make_schedule(const Request& request, const Plan& plan);

}  // namespace trnsim::collectives
