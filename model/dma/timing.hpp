// Timing of a DMA engine.
#pragma once

#include <algorithm>

#include "arch/config/config.hpp"
#include "arch/cost/transfer.hpp"
#include "model/protocol/types.hpp"

namespace trnsim::tlm::dma {

// The figures of one engine, from dma.* of the configuration.
struct EngineTiming {
    std::uint64_t bandwidth;  // bytes a second on the wire, each direction
    std::uint64_t burst;      // bytes, a power of two: no burst crosses a multiple of it
    Time burst_gap;           // fs after a full burst; a proportional part after a shorter one
    Time start_latency;       // fs from a doorbell to the first write
    Time read_lead;           // fs by which reads begin before that write: a read's unloaded latency
    std::uint64_t prefetch;   // descriptors held for each direction of a ring
};

EngineTiming engine_timing(const config::Config& config);

using cost::DescriptorInterval;
// The maximum bursts under way. 16 KiB in flight cover 600 ns at the peak rate; 32 cover 220 ns of 4-byte
// descriptors.
constexpr unsigned MaxReads = 32;
constexpr unsigned MaxWrites = 32;
constexpr std::uint64_t BufferBytes = 16ULL * 1024;  // bytes read and not yet written

// The maximum bytes of a train: consecutive bursts that are one access. It has as many as an AXI burst.
constexpr std::uint64_t TrainBytes = 4096;

// Returns the bytes of the last burst of an access.
constexpr std::uint32_t last_burst_of(const EngineTiming& timing, std::uint64_t address,
                                      std::uint32_t length) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(length, (address + length - 1) % timing.burst + 1));
}

// Returns how long an access of `bytes` occupies the wire.
constexpr Time access_time(const EngineTiming& timing, std::uint64_t bytes) {
    return duration(bytes, timing.bandwidth) + timing.burst_gap * bytes / timing.burst;
}

}  // namespace trnsim::tlm::dma
