// A collective of several servers as phases: within every server, between the servers, within every server
// (docs/efa.md).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/collectives/request.hpp"

namespace trnsim::cluster {

struct Shape {
    std::uint32_t servers = 1, ranks = 1;  // ranks of a server
};

// With one rank in a server there are no phases within a server. The ranks of `between` are the servers; the
// ranks with the same number in every server execute it, each number for itself.
struct Phases {
    std::optional<collectives::Request> before, after;
    collectives::Request between;
};

// Returns the phases of an all-reduce, reduce-scatter or all-gather with `count` as in collectives::Request;
// for an all-reduce it must be a multiple of the ranks of a server. Throws Error for others.
Phases phases_of(collectives::Operation operation, isa::Dtype dtype, std::uint64_t count, const Shape& shape);

// Returns the results of `between` on the vectors of the servers: the bytes of each, of the size of its input
// and output.
std::vector<std::vector<std::uint8_t>> values_between(const collectives::Request& between,
                                                      collectives::Algorithm algorithm,
                                                      const std::vector<std::vector<std::uint8_t>>& vectors);

}  // namespace trnsim::cluster
