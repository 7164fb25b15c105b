// The writes of a driver as data: code with access to a chip makes them in their order.
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
