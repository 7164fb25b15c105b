// Segments as packets of DMA descriptors.
#pragma once

#include <span>
#include <vector>

#include "runtime/session/image.hpp"
#include "runtime/session/segments.hpp"

namespace trnsim::runtime {

// What one of the DMA engines takes of a transfer: neighbours. Of rows that are combined one after the other it
// takes a part of each, so that nobody else works on the same elements.
std::vector<Segment> share_of(const neff::Transfer& transfer, const std::vector<Segment>& segments,
                              std::size_t engine, std::size_t engines);

// Descriptors of each direction that a share takes.
std::size_t descriptors_of(const neff::Transfer& transfer, std::span<const Segment> segments);

// Adds them. A segment, or its tile, is a packet; those with indices share packets, which read each index once, unless they
// are combined. There are as many descriptors of either direction.
void add_packets(Ring& ring, std::uint8_t ring_id, std::span<const Segment> segments,
                 const neff::Transfer& transfer);

// One that reads and writes `segment`; `barrier`: written after the response to every earlier write.
void add_packet(Ring& ring, std::uint8_t ring_id, const Segment& segment, bool barrier);

}  // namespace trnsim::runtime
