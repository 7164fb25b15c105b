// The initiators and targets on the fabric of a chip, and the map of the system address space.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/addresses/addresses.hpp"
#include "arch/config/config.hpp"
#include "isa/isa_tables.hpp"
#include "model/fabric/fabric.hpp"

namespace trnsim::tlm::chip {

using addresses::HbmBase;
constexpr std::uint64_t CoreBase = addresses::CoreWindowBase;
constexpr std::uint64_t CoreBytes = isa::window::Size;
static_assert(CoreBytes == addresses::CoreWindowStride);

struct Layout {
    std::vector<bool> cores;   // by slot: true if a core is in it
    bool linked = false;       // linked to other chips
    bool collectives = false;  // has collective cores
};

// Port numbers on the fabric. Targets begin with the HBM stacks; absent ones have no number.
struct Ports {
    struct Slot {
        unsigned dma = 0, manager = 0, tables = 0;  // initiators: DMA engine 0, then the core's ports
        unsigned registers = 0, window = 0;         // targets: DMA registers, window of the core
    };
    std::vector<Slot> slots;
    unsigned host = 0, link_in = 0, collectives_out = 0;  // initiators
    unsigned link_out = 0, collectives_in = 0;            // targets
    unsigned initiators = 0, targets = 0;
};
Ports ports_of(const config::Config& config, const Layout& layout);

// Returns the address map. In a linked chip all addresses that name a chip (addresses::is_pooled) are one
// range.
std::vector<fabric::Range> address_map(const config::Config& config, const Layout& layout);

// Returns the sides of the fabric: on each are the DMA engines of a slot, its core and its stack, if every
// slot has one.
fabric::Sides sides_of(const config::Config& config, const Layout& layout, std::uint64_t bandwidth);

}  // namespace trnsim::tlm::chip
