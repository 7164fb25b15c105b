// The counts of a DMA engine since it was built.
#pragma once

#include <cstdint>

#include "model/protocol/traffic.hpp"

namespace trnsim::tlm {

struct DmaStatistics {
    Traffic data;                        // moved by descriptors
    std::uint64_t descriptor_bytes = 0;  // fetched
    std::uint64_t packets = 0;           // completed
    std::uint64_t busy_time = 0;         // fs with a packet at work
};

}  // namespace trnsim::tlm
