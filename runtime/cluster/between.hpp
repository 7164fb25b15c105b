// The part of a collective between servers: its algorithm, its time and the activity of the network.
#pragma once

#include <cstdint>
#include <optional>

#include "arch/config/network.hpp"
#include "arch/config/server.hpp"
#include "compiler/collectives/request.hpp"
#include "runtime/cluster/exchange.hpp"

namespace trnsim::cluster {

// A longer ring is not simulated: each server has as many steps as there are servers.
constexpr std::uint32_t LongestRing = 512;

// Returns the number of adapters that the ranks of a server use: as many as possible if each serves equally
// many ranks.
std::uint32_t adapters_used(std::uint32_t ranks, std::uint64_t adapters);

// Returns the parameters of one adapter of a server, which stands for all adapters in use: they carry the
// same bytes at the same times, so the switches have a share of their bandwidth for it.
tlm::efa::Parameters parameters_of(const config::Server& server, const config::Network& network,
                                   std::uint32_t used);

// Throws Error for an algorithm that is not available between servers, for too long a ring, and for a server
// without adapters.
void expect_possible(std::uint32_t servers, const config::Server& server,
                     std::optional<collectives::Algorithm> algorithm);

struct Between {
    collectives::Algorithm algorithm{};
    Time time = 0;                     // fs
    tlm::efa::Waiting waiting;         // waiting of the messages of an adapter of each server
    tlm::efa::LinkStatistics busiest;  // the link that was full longest, or else carried the largest share
};

// `request` is Phases::between, `ranks` the number in a server. Without an algorithm it takes the faster one
// of ring and halving-doubling. Throws as expect_possible().
Between time_between(const collectives::Request& request, std::uint32_t ranks, const config::Server& server,
                     const config::Network& network, std::optional<collectives::Algorithm> algorithm);

}  // namespace trnsim::cluster
