// The network between servers (docs/efa.md). Bandwidths are bytes a second, times femtoseconds.
#pragma once

#include <cstdint>

#include "tlm/protocol/types.hpp"

namespace trnsim::tlm::efa {

struct Parameters {
    unsigned adapters = 8;                     // of a server
    std::uint64_t bandwidth = 12'500'000'000;  // of an adapter, each way, headers included: 100 Gb/s
    double efficiency = 0.78;                  // share of it that messages reach; estimate
    Time latency = 15 * FsPerUs;               // from the last byte sent to its arrival
    std::uint32_t packet = 8192;               // payload bytes of a packet; estimate
    std::uint32_t header = 64;                 // bytes that a packet has beside them; estimate
    unsigned servers_per_leaf = 0;             // 0: all servers at one switch
    double oversubscription = 1;               // bandwidth of a leaf's adapters over that of its links upward
};

// Of a trn1.32xlarge and a trn1n.32xlarge.
constexpr Parameters Trn1{};
constexpr Parameters Trn1n{.adapters = 16};

}  // namespace trnsim::tlm::efa
