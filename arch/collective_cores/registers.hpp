// The collective cores of a chip, seen from the rest of the chip.
//
// A chip has six, three for each core. Each has a start register and flags, words of 32 bits to which writes
// add. Their places in the system address space are this model's; those of the hardware are not public.
#pragma once

#include <cstdint>

#include "arch/addresses/addresses.hpp"

namespace trnsim::collective_cores {

constexpr unsigned CoresPerSlot = 3;
constexpr unsigned CoresPerChip = CoresPerSlot * addresses::CoresPerChip;

constexpr std::uint64_t Base = 0xfffd0000000;  // system address of collective core 0
constexpr std::uint64_t Stride = 0x100000;     // bytes from one to the next
constexpr std::uint64_t Bytes = CoresPerChip * Stride;

constexpr std::uint64_t Start = 0;       // wo: any value starts the program; ignored while one runs
constexpr std::uint64_t Flags = 0x1000;  // of flag 0; writes add to it
constexpr std::uint32_t FlagBytes = 4;
constexpr std::uint32_t FlagCount = (Stride - Flags) / FlagBytes;

constexpr std::uint64_t flag_address(unsigned core, std::uint32_t flag) {
    return Base + core * Stride + Flags + flag * std::uint64_t{FlagBytes};
}

}  // namespace trnsim::collective_cores
