// The part of a collective between servers: which algorithm, how long it takes, what the network did meanwhile.
#pragma once

#include <cstdint>
#include <optional>

#include "arch/config/network.hpp"
#include "arch/config/server.hpp"
#include "compiler/collectives/request.hpp"
#include "runtime/cluster/exchange.hpp"

namespace trnsim::cluster {

// A ring of more servers is not simulated: it has as many steps as servers, each.
constexpr std::uint32_t LongestRing = 512;

// Adapters that the ranks of a server use: as many as there are, but each for equally many ranks.
std::uint32_t adapters_used(std::uint32_t ranks, std::uint64_t adapters);

// Of one adapter of a server, which stands for those that are used: they carry the same at the same times, so the
// switches have a share of their bandwidth for it.
tlm::efa::Parameters parameters_of(const config::Server& server, const config::Network& network,
                                   std::uint32_t used);

// Throws Error for an algorithm that there is not between servers, for too long a ring, and for a server without
// adapters.
void expect_possible(std::uint32_t servers, const config::Server& server,
                     std::optional<collectives::Algorithm> algorithm);

struct Between {
    collectives::Algorithm algorithm{};
    Time time = 0;                     // fs
    tlm::efa::Waiting waiting;         // of the messages of an adapter of each server
    tlm::efa::LinkStatistics busiest;  // the link that was full longest, or else carried the largest share
};

// `request` is Phases::between, `ranks` those of a server. Without an algorithm the faster one of ring and
// halving-doubling. Throws as expect_possible().
Between time_between(const collectives::Request& request, std::uint32_t ranks, const config::Server& server,
                     const config::Network& network, std::optional<collectives::Algorithm> algorithm);

}  // namespace trnsim::cluster
