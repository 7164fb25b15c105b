// Rings of DMA engines: the descriptors of packets, their places in memory, and the registers that hold
// these.
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
    std::vector<dma::Descriptor> m2s, s2m;  // one cycle, in the order of execution
    RingPlace m2s_place, s2m_place;
};

// Takes memory of `bytes` for descriptors, at a multiple of dma::RingAlign. Returns its system address.
using AllocateRing = std::function<std::uint64_t(std::uint64_t bytes)>;

// Takes memory for the fewest cycles that have `least` descriptors, m2s first; if the ring has none, for
// `least` descriptors.
void place(Ring& ring, const AllocateRing& allocate, std::uint32_t least = 1);

// Returns the descriptors of both directions, m2s first; nothing for a ring without any.
std::vector<MemoryWrite> memory_writes(const Ring& ring);

// The registers of a placed ring, in the order in which they are written.
struct RingSetting {
    dma::RingRegister reg;
    std::uint32_t value;
    bool operator==(const RingSetting&) const = default;
};
std::array<RingSetting, 6> settings(const Ring& ring);

}  // namespace trnsim::loader
