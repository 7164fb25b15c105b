// The program of a collective core: several channels, each a list of entries that it walks in order.
#pragma once

#include <cstdint>
#include <vector>

namespace trnsim::collective_cores {

struct Wait {
    std::uint32_t flag;   // flag of this core
    std::uint32_t value;  // least value that satisfies the wait
};

// A write to a 32-bit register, mostly to a doorbell of a DMA ring.
struct RegisterWrite {
    std::uint64_t address;  // address as the chip names it
    std::uint32_t value;
};

// The writes are issued when all waits are satisfied.
struct Entry {
    std::vector<Wait> waits;
    std::vector<RegisterWrite> writes;
};

using Channel = std::vector<Entry>;

// The program is complete when all channels have come to their end and all writes are answered. Channels keep
// no order among each other.
struct Program {
    std::vector<Channel> channels;
};

}  // namespace trnsim::collective_cores
