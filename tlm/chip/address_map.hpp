// The fabric's targets in the system address space.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/isa_tables.hpp"
#include "lib/base/addresses/addresses.hpp"
#include "lib/config/config.hpp"
#include "tlm/fabric/fabric.hpp"

namespace trnsim::tlm::chip {

using addresses::HbmBase;
constexpr std::uint64_t CoreBase = addresses::CoreWindowBase;
constexpr std::uint64_t CoreBytes = isa::window::Size;  // from core to core

// Fabric targets: the stacks, then these.
struct Targets {
    unsigned core, dma, count;
};
Targets targets(const config::Config& config);

std::vector<fabric::Range> address_map(const config::Config& config);

}  // namespace trnsim::tlm::chip
