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

// Of a server with one rank there is nothing within. The ranks of `between` are the servers; the ranks with the same
// number in every server carry it out, each number for itself.
struct Phases {
    std::optional<collectives::Request> before, after;
    collectives::Request between;
};

// All-reduce, reduce-scatter or all-gather with `count` as collectives::Request has it; of an all-reduce a multiple of
// the ranks of a server. Throws Error for others.
Phases phases_of(collectives::Operation operation, isa::Dtype dtype, std::uint64_t count, const Shape& shape);

// What `between` makes of the vectors of the servers: bytes of each, of the size of its input and output.
std::vector<std::vector<std::uint8_t>> values_between(const collectives::Request& between,
                                                      collectives::Algorithm algorithm,
                                                      const std::vector<std::vector<std::uint8_t>>& vectors);

}  // namespace trnsim::cluster
