// Timing of a DMA engine.
#pragma once

#include <algorithm>

#include "arch/config/config.hpp"
#include "arch/cost/transfer.hpp"
#include "model/protocol/types.hpp"

namespace trnsim::tlm::dma {

// Figures of one engine; dma.* of the configuration.
struct EngineTiming {
    std::uint64_t bandwidth;  // bytes a second on the wire, each direction
    std::uint64_t burst;      // bytes, a power of two: none crosses a multiple of it
    Time burst_gap;           // fs after a full burst; after a part of one, its share
    Time start_latency;       // fs from a doorbell to the first write
    Time read_lead;           // fs by which reads begin before that: the unloaded latency of a read
    std::uint64_t prefetch;   // descriptors held for each direction of a ring
};

EngineTiming engine_timing(const config::Config& config);

using cost::DescriptorInterval;
// Bursts under way. 16 KiB in flight cover 600 ns at the peak rate; 32 cover 220 ns of 4-byte descriptors.
constexpr unsigned MaxReads = 32;
constexpr unsigned MaxWrites = 32;
constexpr std::uint64_t BufferBytes = 16ULL * 1024;  // read and not yet written

// Bursts that follow each other are one access, a train, of this many bytes at most: as many as an AXI burst.
constexpr std::uint64_t TrainBytes = 4096;

// The bytes of the last burst of an access.
constexpr std::uint32_t last_burst_of(const EngineTiming& timing, std::uint64_t address,
                                      std::uint32_t length) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(length, (address + length - 1) % timing.burst + 1));
}

// How long an access of `bytes` occupies the wire.
constexpr Time access_time(const EngineTiming& timing, std::uint64_t bytes) {
    return duration(bytes, timing.bandwidth) + timing.burst_gap * bytes / timing.burst;
}

}  // namespace trnsim::tlm::dma
