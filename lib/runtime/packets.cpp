#include "lib/runtime/packets.hpp"

#include "tlm/dma/elements.hpp"
#include "tlm/dma/indices.hpp"

namespace trnsim::runtime {
namespace {

namespace dma = tlm::dma;

// The first segments that one packet takes.
struct Group {
    std::size_t segments = 0, indices = 0;
    std::size_t descriptors() const { return Constants + indices + segments; }
    static constexpr std::size_t Constants = 2;  // step and bounds
};

bool has_own_index(std::span<const Segment> segments, std::size_t i) {
    return i == 0 || segments[i].index != segments[i - 1].index;
}

Group first_group(std::span<const Segment> segments) {
    Group group;
    for (; group.segments < segments.size(); ++group.segments) {
        if (!has_own_index(segments, group.segments)) continue;
        if (group.indices == dma::MaxIndices) break;
        ++group.indices;
    }
    return group;
}

void add_rows(Ring& ring, std::uint8_t ring_id, std::span<const Segment> segments,
              const neff::Indirect& indirect) {
    const std::size_t first = ring.m2s.size();
    // s2m descriptors that take nothing stand beside what is of indices.
    const auto add = [&](dma::Operation operation, std::uint64_t address, std::uint32_t length,
                         std::uint32_t bits = 0) {
        ring.m2s.push_back({.address = address,
                            .length = length,
                            .ring_id = ring_id,
                            .meta = encode(dma::ReadMeta{operation}) | bits});
        ring.s2m.push_back(
            {.length = 1, .ring_id = ring_id, .meta = encode(dma::WriteMeta{dma::Result::Nothing})});
    };
    add(dma::Operation::IndexStep, static_cast<std::uint64_t>(indirect.step), dma::NumberBytes);
    add(dma::Operation::IndexBounds, dma::index_bounds(indirect.first, indirect.last), dma::NumberBytes,
        indirect.skip ? dma::SkipBit : 0);
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (has_own_index(segments, i)) add(dma::Operation::Index, *segments[i].index, dma::IndexBytes);
    }
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (has_own_index(segments, i)) ++number;
        dma::Descriptor read{segments[i].from, segments[i].bytes, ring_id};
        dma::Descriptor write{segments[i].to, segments[i].bytes, ring_id};
        dma::Descriptor& row = indirect.scatter ? write : read;
        row.meta = number << dma::RowShift;
        row.address -= static_cast<std::uint64_t>(indirect.first * indirect.step);  // to the row of index 0
        ring.m2s.push_back(read);
        ring.s2m.push_back(write);
    }
    ring.m2s[first].first = ring.m2s.back().last = true;
}

}  // namespace

std::size_t descriptors_of(std::span<const Segment> segments) {
    if (segments.empty() || !segments.front().index) return segments.size();
    std::size_t descriptors = 0;
    while (!segments.empty()) {
        const Group group = first_group(segments);
        descriptors += group.descriptors();
        segments = segments.subspan(group.segments);
    }
    return descriptors;
}

void add_packets(Ring& ring, std::uint8_t ring_id, std::span<const Segment> segments,
                 const neff::Transfer& transfer) {
    if (!transfer.indirect) {
        for (const Segment& segment : segments) add_packet(ring, ring_id, segment, false);
        return;
    }
    while (!segments.empty()) {
        const Group group = first_group(segments);
        add_rows(ring, ring_id, segments.first(group.segments), *transfer.indirect);
        segments = segments.subspan(group.segments);
    }
}

void add_packet(Ring& ring, std::uint8_t ring_id, const Segment& segment, bool barrier) {
    dma::Descriptor read{segment.from, segment.bytes, ring_id};
    read.first = read.last = true;
    read.barrier = barrier;
    ring.m2s.push_back(read);
    ring.s2m.push_back({segment.to, segment.bytes, ring_id});
}

}  // namespace trnsim::runtime
