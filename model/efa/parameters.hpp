// Parameters of the network between servers (docs/efa.md). Bandwidths are bytes a second, times femtoseconds.
#pragma once

#include <array>
#include <cstdint>

#include "model/protocol/types.hpp"

namespace trnsim::tlm::efa {

// Tiers of switches: leaves, and spines above whole leaves.
constexpr std::size_t Tiers = 2;

struct Tier {
    unsigned servers = 0;         // servers below a switch; 0: no such tier, nor one above it
    double oversubscription = 1;  // bandwidth of the adapters below over that of the links upward
};

struct Parameters {
    unsigned adapters = 8;                     // adapters of a server
    std::uint64_t bandwidth = 12'500'000'000;  // an adapter's, each way, with headers: 100 Gb/s
    double efficiency = 0.78;                  // share of the bandwidth that messages reach; estimate
    Time latency = 15 * FsPerUs;               // time from the last byte sent to its arrival, past one switch
    std::uint32_t packet = 8192;               // payload bytes of a packet; estimate
    std::uint32_t header = 64;                 // bytes of a packet besides the payload; estimate
    Time hop = 0;                              // latency of each switch after the first
    std::array<Tier, Tiers> tiers{};           // default: all servers at one switch
};

}  // namespace trnsim::tlm::efa
