// Rings of DMA engines in the memory of their chips.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/system/linked_server.hpp"
#include "runtime/communicator/lower.hpp"

namespace trnsim::communicator {

// Addresses on the chip of the descriptors of both directions.
struct RingMemory {
    std::uint64_t m2s = 0, s2m = 0;
};

// Memory of so many bytes for descriptors, on a multiple of dma::RingAlign.
using Allocate = std::function<std::uint64_t(std::uint64_t bytes)>;

RingMemory allocate(const Ring& ring, const Allocate& allocate);

// Through the back door, without time; the core's chip is in this process.
void write_descriptors(tlm::LinkedServer& server, CoreId core, const Ring& ring, const RingMemory& memory);
void set_registers(tlm::LinkedServer& server, CoreId core, const RingId& id, const Ring& ring,
                   const RingMemory& memory);

}  // namespace trnsim::communicator
