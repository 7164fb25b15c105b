// What a driver writes, as data: whoever has a chip makes these writes in their order.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/collective_cores/program.hpp"

namespace trnsim::loader {

// Consecutive bytes of HBM from a system address on.
struct MemoryWrite {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> bytes;
    bool operator==(const MemoryWrite&) const = default;
};

using collective_cores::RegisterWrite;

}  // namespace trnsim::loader
