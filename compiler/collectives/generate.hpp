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
    // Orders of the members; empty: one, as they are. Ring, kangaring, and hierarchical within an inner group:
    // each carries an equal part of every chunk. All-reduce by halving-doubling: each carries an equal part of
    // the vector.
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
