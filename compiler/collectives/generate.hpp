// Generation of a schedule from a request and a plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/collectives/request.hpp"
#include "compiler/collectives/schedule.hpp"

namespace trnsim::collectives {

struct Plan {
    Algorithm algorithm = Algorithm::Ring;
    // Ring and kangaring, and hierarchical within an inner group: orders of the members, each of which
    // carries an equal part of every chunk. Empty: one, in the order of the members.
    std::vector<std::vector<std::uint32_t>> cycles = {};
    // Hierarchical: consecutive members of an inner group.
    std::uint32_t inner = 0;
};

// Returns the algorithms for an operation; the first one takes any number of ranks.
std::span<const Algorithm> algorithms(Operation operation);

// Makes the schedule. It may begin when every rank's input is written and its output and scratch are no
// longer in use. Throws Error: `request: ...`, `plan: ...`.
Schedule make_schedule(const Request& request, const Plan& plan);

}  // namespace trnsim::collectives
