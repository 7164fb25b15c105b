// The transfers of a kernel as packets of DMA rings.
#pragma once

#include <span>
#include <vector>

#include "runtime/loader/descriptor_writer.hpp"
#include "runtime/loader/segments.hpp"

namespace trnsim::loader {

// Returns the part of a transfer for one DMA engine: consecutive segments. If rows are combined one after the
// other, it is a part of each row, so that no other engine works on the same elements.
std::vector<Segment> share_of(const neff::Transfer& transfer, const std::vector<Segment>& segments,
                              std::size_t engine, std::size_t engines);

// Returns the descriptors of each direction that a share takes.
std::size_t descriptors_of(const neff::Transfer& transfer, std::span<const Segment> segments);

// Adds the segments. A segment, or its tile, is a packet; segments with indices share packets, which read
// each index once, unless they are combined.
void add_packets(DescriptorWriter& writer, std::span<const Segment> segments, const neff::Transfer& transfer);

}  // namespace trnsim::loader
