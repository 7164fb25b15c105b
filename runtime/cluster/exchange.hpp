// The time of a schedule between servers: its transfers as messages on the network (docs/efa.md).
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/collectives/schedule.hpp"
#include "model/efa/network.hpp"

namespace trnsim::cluster {

using tlm::Time;

struct ExchangeParameters {
    std::uint64_t segment = 0;  // bytes that a rank's transfers are cut into
    Time step = 0;              // fs from the last thing that a segment waits for to its first byte
    double combine = 0;         // bytes/s of a result that a rank's engines copy or combine in its server
    std::uint32_t ranks = 1;    // of a server at an adapter: they do the same, and their messages go together
    // Adapters of a server that carry the schedule out, each by itself.
    std::vector<unsigned> adapters{0};
};

// Fs from 0 to the last completion, on a network that nothing has been sent on. The ranks of the schedule are its
// servers. Throws std::logic_error when the steps wait for each other.
Time play(const collectives::Schedule& schedule, const ExchangeParameters& parameters,
          tlm::efa::Network& network);

}  // namespace trnsim::cluster
