// Organisation of an HBM2E stack: channels of 128 bits, each of two pseudo channels of 64 bits, each of four
// groups of four banks with rows of 1 KiB. A column command moves a burst: length 4 of 64 bits.
#pragma once

#include <cstdint>
#include <limits>

namespace trnsim::tlm::hbm {

constexpr unsigned Channels = 8;        // in a stack
constexpr unsigned PseudoChannels = 2;  // in a channel
constexpr unsigned BankGroups = 4;      // in a pseudo channel
constexpr unsigned BanksPerGroup = 4;
constexpr unsigned Banks = BankGroups * BanksPerGroup;  // in a pseudo channel, numbered group by group
constexpr unsigned Columns = 32;                        // bursts in a row
constexpr unsigned BurstBytes = 32;
constexpr unsigned BurstCycles = 2;  // CK on the data bus

// Cycles of CK since the start of the simulation.
using Cycle = std::uint64_t;
constexpr Cycle Never = std::numeric_limits<Cycle>::max();

// A set of banks of a pseudo channel, one bit each.
using BankMask = std::uint16_t;
constexpr BankMask AllBanks = 0xffff;

constexpr BankMask mask_of(unsigned bank) {
    return static_cast<BankMask>(1U << bank);
}
constexpr BankMask without_lowest(BankMask banks) {
    return static_cast<BankMask>(banks & (banks - 1));
}

constexpr unsigned group_of(unsigned bank) {
    return bank / BanksPerGroup;
}

// The place of a burst in a stack.
struct Location {
    unsigned channel = 0, pseudo = 0, bank = 0;
    std::uint32_t row = 0;
    unsigned column = 0;
    bool operator==(const Location&) const = default;
};

}  // namespace trnsim::tlm::hbm
