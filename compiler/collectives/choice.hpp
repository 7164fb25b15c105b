// The algorithm for an operation and a size, and the definition of bus bandwidth.
#pragma once

#include <cstdint>
#include <span>

#include "compiler/collectives/request.hpp"

namespace trnsim::collectives {

struct Choice {
    Operation operation;
    bool between_servers;   // the group has ranks of several servers
    std::uint32_t members;  // at most
    std::uint64_t below;    // bytes
    Algorithm algorithm;
};
// The published thresholds: docs/collectives.md.
std::span<const Choice> published_choices();

// Returns the algorithm of the first row that fits; an operation without a row gets its first algorithm.
// `bytes` is the larger of a rank's input and output.
Algorithm choose_algorithm(std::span<const Choice> choices, Operation operation, std::uint64_t bytes,
                           std::size_t members, bool between_servers);

// Bus bandwidth is bytes / seconds times this, so that it can be compared with a link's for any number of
// ranks; `bytes` as above.
double bus_factor(Operation operation, std::size_t members);

}  // namespace trnsim::collectives
