// Where things are in the system address space (facts of the public driver; docs/architecture.md).
#pragma once

#include <cstdint>
#include <vector>

#include "lib/config/config.hpp"
#include "tlm/fabric/fabric.hpp"

namespace trnsim::tlm::chip {

constexpr std::uint64_t HbmBase = 0x0;
constexpr std::uint64_t HbmStride = 0x1000000000;  // from stack to stack
constexpr std::uint64_t CoreBase = 0xfffc0000000;
constexpr std::uint64_t CoreBytes = 64ULL << 20;  // from core to core

// Fabric targets: the stacks, then these.
struct Targets {
    unsigned core, dma, count;
};
Targets targets(const config::Config& config);

std::vector<fabric::Range> address_map(const config::Config& config);

}  // namespace trnsim::tlm::chip
