// System addresses that name the memory of another chip: bits 55:48 are the chip's number + 1, or 0 for the
// chip that makes the access. The bits below are an address on that chip, of HBM or of a core window. The
// layout is this model's; that of the hardware is not public.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace trnsim::addresses {

constexpr unsigned PooledShift = 48;
constexpr unsigned PooledChips = 255;  // numbers 0 to 254
constexpr std::uint64_t LocalBytes = std::uint64_t{1} << PooledShift;
// The addresses that name a chip: [PooledBase, PooledBase + PooledBytes).
constexpr std::uint64_t PooledBase = LocalBytes;
constexpr std::uint64_t PooledBytes = PooledChips * LocalBytes;

// `local` is a system address as the chip itself uses it. Throws std::invalid_argument when one of the two
// does not fit.
constexpr std::uint64_t pooled_address(unsigned chip, std::uint64_t local) {
    if (chip >= PooledChips) {
        throw std::invalid_argument("pooled address: chip " + std::to_string(chip) + ", expected 0 to " +
                                    std::to_string(PooledChips - 1));
    }
    if (local >= LocalBytes) {
        throw std::invalid_argument("pooled address: local address " + std::to_string(local) +
                                    ", expected one below 2^48");
    }
    return (std::uint64_t{chip} + 1) << PooledShift | local;
}

constexpr bool is_pooled(std::uint64_t address) {
    return address - PooledBase < PooledBytes;
}

// Returns the chip that the address names; nothing for an address of the chip that makes the access and for
// one beyond the last chip.
constexpr std::optional<unsigned> chip_of(std::uint64_t address) {
    if (!is_pooled(address)) return std::nullopt;
    return static_cast<unsigned>(address >> PooledShift) - 1;
}

constexpr std::uint64_t local_of(std::uint64_t address) {
    return address % LocalBytes;
}

}  // namespace trnsim::addresses
