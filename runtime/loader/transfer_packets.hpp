// The transfers of a kernel as packets of DMA rings.
#pragma once

#include <span>
#include <vector>

#include "runtime/loader/descriptor_writer.hpp"
#include "runtime/loader/segments.hpp"

namespace trnsim::loader {

// What one of the DMA engines takes of a transfer: neighbours. Of rows that are combined one after the other it
// takes a part of each, so that nobody else works on the same elements.
std::vector<Segment> share_of(const neff::Transfer& transfer, const std::vector<Segment>& segments,
                              std::size_t engine, std::size_t engines);

// Descriptors of each direction that a share takes.
std::size_t descriptors_of(const neff::Transfer& transfer, std::span<const Segment> segments);

// Adds them. A segment, or its tile, is a packet; those with indices share packets, which read each index once, unless they
// are combined.
void add_packets(DescriptorWriter& writer, std::span<const Segment> segments, const neff::Transfer& transfer);

}  // namespace trnsim::loader
