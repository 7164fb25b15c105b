// Rings of DMA engines: the descriptors of packets, where they lie in memory, and the registers that say so.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "arch/dma/registers.hpp"
#include "runtime/loader/writes.hpp"

namespace trnsim::loader {

// A direction of a ring in the memory of its chip.
struct RingPlace {
    std::uint64_t address = 0;  // system address of the first descriptor
    std::uint32_t size = 0;     // descriptors
    bool operator==(const RingPlace&) const = default;
};

// A ring of a DMA engine. Its memory holds a whole number of cycles.
struct Ring {
    std::vector<dma::Descriptor> m2s, s2m;  // of one cycle, in the order in which they are executed
    RingPlace m2s_place, s2m_place;
};

// Memory of so many bytes for descriptors, on a multiple of dma::RingAlign. Returns its system address.
using AllocateRing = std::function<std::uint64_t(std::uint64_t bytes)>;

// Takes memory for the fewest cycles that have `least` descriptors; m2s first. For that many where there are none.
void place(Ring& ring, const AllocateRing& allocate, std::uint32_t least = 1);

// The descriptors of both directions, m2s first; nothing of a ring without any.
std::vector<MemoryWrite> memory_writes(const Ring& ring);

// Registers that a placed ring has, in the order in which they are written.
struct RingSetting {
    dma::RingRegister reg;
    std::uint32_t value;
    bool operator==(const RingSetting&) const = default;
};
std::array<RingSetting, 6> settings(const Ring& ring);

}  // namespace trnsim::loader
