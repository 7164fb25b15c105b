// What a collective core does: several channels, each a list of entries that it walks in order.
#pragma once

#include <cstdint>
#include <vector>

namespace trnsim::collective_cores {

struct Wait {
    std::uint32_t flag;   // of this core
    std::uint32_t value;  // at least
};

// To a 32-bit register, a doorbell of a DMA ring for the most part.
struct RegisterWrite {
    std::uint64_t address;  // as the chip names it
    std::uint32_t value;
};

// The writes leave when all waits are satisfied.
struct Entry {
    std::vector<Wait> waits;
    std::vector<RegisterWrite> writes;
};

using Channel = std::vector<Entry>;

// Complete when all channels have come to their end and all writes are answered. Channels keep no order among
// each other.
struct Program {
    std::vector<Channel> channels;
};

}  // namespace trnsim::collective_cores
