// Segments as packets of DMA descriptors.
#pragma once

#include <span>

#include "lib/runtime/image.hpp"
#include "lib/runtime/segments.hpp"

namespace trnsim::runtime {

// Descriptors of each direction that segments of a transfer take.
std::size_t descriptors_of(std::span<const Segment> segments);

// Adds them. A segment is a packet; those with indices share packets, which read each index once and have as
// many descriptors of either direction.
void add_packets(Ring& ring, std::uint8_t ring_id, std::span<const Segment> segments,
                 const neff::Transfer& transfer);

// One that reads and writes `segment`; `barrier`: written after the response to every earlier write.
void add_packet(Ring& ring, std::uint8_t ring_id, const Segment& segment, bool barrier);

}  // namespace trnsim::runtime
