// The time of a schedule between servers: its transfers as messages on the network (docs/efa.md).
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/collectives/schedule.hpp"
#include "model/efa/network.hpp"

namespace trnsim::cluster {

using tlm::Time;

struct ExchangeParameters {
    std::uint64_t segment = 0;  // bytes of the segments of a rank's transfers
    Time step = 0;              // fs from the end of the last wait of a segment to its first byte
    double combine = 0;         // bytes/s of results that a rank's engines copy or combine in its server
    std::uint32_t ranks = 1;    // ranks of a server at an adapter: they do the same and send together
    // Adapters of a server that execute the schedule, each by itself.
    std::vector<unsigned> adapters{0};
};

// Returns the fs from 0 to the last completion, on a network without earlier messages. The ranks of the
// schedule are its servers. Throws std::logic_error when the steps wait for each other.
Time play(const collectives::Schedule& schedule, const ExchangeParameters& parameters,
          tlm::efa::Network& network);

}  // namespace trnsim::cluster
