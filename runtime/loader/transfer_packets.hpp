// The transfers of a kernel as packets of DMA rings.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/loader/descriptor_writer.hpp"
#include "runtime/loader/segments.hpp"

namespace trnsim::loader {

using Segments = std::vector<Segment>;

// Returns the parts of a transfer for the DMA engines: consecutive segments. If rows are combined one after the
// other, it is a part of each row, so that no other engine works on the same elements.
std::vector<Segments> even_shares(const neff::Transfer& transfer, const Segments& segments,
                                  std::size_t engines);

// Does the same so that an engine moves the same partitions in every transfer, as many as any other. Returns
// nothing if the transfer combines, transposes, has indices or accesses neither SBUF nor PSUM.
std::optional<std::vector<Segments>> partition_shares(const neff::Package& package,
                                                      const neff::Transfer& transfer,
                                                      const Segments& segments, unsigned core);

// Returns the descriptors of each direction that a share takes.
std::size_t descriptors_of(const neff::Transfer& transfer, std::span<const Segment> segments);

// Adds the segments. A segment, or its tile, is a packet; segments with indices share packets, which read
// each index once, unless they are combined.
void add_packets(DescriptorWriter& writer, std::span<const Segment> segments, const neff::Transfer& transfer);

}  // namespace trnsim::loader
