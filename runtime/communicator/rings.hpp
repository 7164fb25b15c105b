// Rings of the loader on a simulated server. Nothing is written for a core whose chip is in another process.
#pragma once

#include <cstdint>

#include "model/system/linked_server.hpp"
#include "runtime/loader/lower_schedules.hpp"

namespace trnsim::communicator {

// Writes through the back door, without time.
void write_descriptors(tlm::LinkedServer& server, addresses::CoreId core, const loader::Ring& ring);
void set_registers(tlm::LinkedServer& server, addresses::CoreId core, const loader::RingId& id,
                   const loader::Ring& ring);
// Sets the seed of stochastic rounding of an engine of the core.
void set_rounding_seed(tlm::LinkedServer& server, addresses::CoreId core, unsigned engine,
                       std::uint32_t seed);

}  // namespace trnsim::communicator
