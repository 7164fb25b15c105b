#include "runtime/session/packets.hpp"

#include <algorithm>
#include <utility>

#include "arch/dma/elements.hpp"
#include "arch/dma/indices.hpp"
#include "arch/dma/transpose.hpp"
#include "compiler/neff/sizes.hpp"
#include "runtime/session/transposed.hpp"

namespace trnsim::runtime {
namespace {

// Those of a direction that has fewer take nothing.
void add_nothing(std::vector<dma::Descriptor>& s2m, std::uint8_t ring_id, std::size_t count) {
    s2m.insert(s2m.end(), count,
               {.length = 1, .ring_id = ring_id, .meta = encode(dma::WriteMeta{dma::Result::Nothing})});
}

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

void add_read(Ring& ring, std::uint8_t ring_id, dma::Operation operation, std::uint64_t address,
              std::uint32_t length, std::uint32_t bits = 0) {
    ring.m2s.push_back({.address = address,
                        .length = length,
                        .ring_id = ring_id,
                        .meta = encode(dma::ReadMeta{operation}) | bits});
}

// The rows of a tile, then its columns.
void add_tile(Ring& ring, std::uint8_t ring_id, const TransposedTile& tile, std::uint32_t element) {
    const std::size_t first = ring.m2s.size();
    add_read(ring, ring_id, dma::Operation::Transpose, dma::transpose_shape(tile.rows, tile.columns, element),
             dma::NumberBytes);
    for (const Run& run : tile.from) ring.m2s.push_back({run.address, run.bytes, ring_id});
    ring.m2s[first].first = ring.m2s.back().last = true;
    add_nothing(ring.s2m, ring_id, tile.from.size() + 1 - tile.to.size());
    for (const Run& run : tile.to) ring.s2m.push_back({run.address, run.bytes, ring_id});
}

void add_rule(Ring& ring, std::uint8_t ring_id, const neff::Indirect& indirect, std::uint32_t bits) {
    add_read(ring, ring_id, dma::Operation::IndexStep, static_cast<std::uint64_t>(indirect.step),
             dma::NumberBytes);
    add_read(ring, ring_id, dma::Operation::IndexBounds, dma::index_bounds(indirect.first, indirect.last),
             dma::NumberBytes, bits);
}

// Bytes from the row of index 0 to that of the first index.
std::uint64_t before_first(const neff::Indirect& indirect) {
    return static_cast<std::uint64_t>(indirect.first * indirect.step);
}

void add_rows(Ring& ring, std::uint8_t ring_id, std::span<const Segment> segments,
              const neff::Indirect& indirect) {
    const std::size_t first = ring.m2s.size();
    add_rule(ring, ring_id, indirect, indirect.skip ? dma::SkipBit : 0);
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (has_own_index(segments, i))
            add_read(ring, ring_id, dma::Operation::Index, *segments[i].index, dma::IndexBytes);
    }
    add_nothing(ring.s2m, ring_id, ring.m2s.size() - first);
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (has_own_index(segments, i)) ++number;
        dma::Descriptor read{segments[i].from, segments[i].bytes, ring_id};
        dma::Descriptor write{segments[i].to, segments[i].bytes, ring_id};
        dma::Descriptor& row = indirect.scatter ? write : read;
        row.meta = number << dma::RowShift;
        row.address -= before_first(indirect);
        ring.m2s.push_back(read);
        ring.s2m.push_back(write);
    }
    ring.m2s[first].first = ring.m2s.back().last = true;
}

// A packet of two sources: what is moved and what is there, which is read after every earlier write if it has
// an index.
constexpr std::size_t CombinedDescriptors = 2, CombinedRowDescriptors = 5;

dma::Operation operation_of(isa::AluOp op) {
    switch (op) {
        case isa::AluOp::Multiply:
            return dma::Operation::Multiply;
        case isa::AluOp::Min:
            return dma::Operation::Min;
        case isa::AluOp::Max:
            return dma::Operation::Max;
        default:
            return dma::Operation::Add;
    }
}

void add_combined(Ring& ring, std::uint8_t ring_id, const Segment& segment, const neff::Transfer& transfer) {
    const std::size_t first = ring.m2s.size();
    const neff::Combination& combination = *transfer.combination;
    std::uint64_t to = segment.to;
    std::uint32_t row = 0;
    if (segment.index) {
        add_rule(ring, ring_id, *transfer.indirect, dma::WaitBit);
        add_read(ring, ring_id, dma::Operation::Index, *segment.index, dma::IndexBytes);
        to -= before_first(*transfer.indirect);
        row = 1U << dma::RowShift;
    }
    const auto add_source = [&](std::uint64_t address, dma::Operation operation, std::uint8_t number,
                                std::uint32_t bits) {
        const dma::ReadMeta meta{operation, combination.dtype, number, 1};
        ring.m2s.push_back(
            {.address = address, .length = segment.bytes, .ring_id = ring_id, .meta = encode(meta) | bits});
    };
    add_source(segment.from, dma::Operation::Load, 0, 0);
    add_source(to, operation_of(combination.op), 1, row);
    ring.m2s[first].first = ring.m2s.back().last = true;
    add_nothing(ring.s2m, ring_id, ring.m2s.size() - first - 1);
    const dma::WriteMeta result{dma::Result::Elements, combination.dtype, isa::Rounding::Nearest};
    ring.s2m.push_back(
        {.address = to, .length = segment.bytes, .ring_id = ring_id, .meta = encode(result) | row});
}

// Bytes first .. first + bytes - 1 of the segments that follow each other from `begin` on, in pieces that one
// packet can combine.
void add_part(std::vector<Segment>& share, std::span<const Segment> segments, std::uint64_t first,
              std::uint64_t bytes, std::uint32_t element) {
    for (const Segment& segment : segments) {
        const std::uint64_t skipped = std::min<std::uint64_t>(first, segment.bytes);
        first -= skipped;
        std::uint64_t at = skipped;
        while (at < segment.bytes && bytes != 0) {
            const std::uint64_t piece =
                std::min({segment.bytes - at, bytes, std::uint64_t{dma::MaxCombinedElements} * element});
            share.push_back(
                {segment.from + at, segment.to + at, static_cast<std::uint32_t>(piece), segment.index});
            at += piece;
            bytes -= piece;
        }
    }
}

}  // namespace

std::vector<Segment> share_of(const neff::Transfer& transfer, const std::vector<Segment>& segments,
                              std::size_t engine, std::size_t engines) {
    const auto part_of = [&](std::uint64_t count) {
        return std::pair(count * engine / engines, count * (engine + 1) / engines);
    };
    std::vector<Segment> share;
    const std::uint32_t element = transfer.element_bytes;
    if (!transfer.indirect || !transfer.combination) {
        const auto [begin, end] = part_of(segments.size());
        const auto own = std::span(segments).subspan(begin, end - begin);
        if (!transfer.combination) return {own.begin(), own.end()};
        for (const Segment& segment : own) add_part(share, {&segment, 1}, 0, segment.bytes, element);
        return share;
    }
    const std::uint64_t row = neff::row_elements(transfer);
    const auto [begin, end] = part_of(row);
    for (std::size_t i = 0; i < segments.size();) {
        const std::size_t first = i;
        for (std::uint64_t left = row * element; left != 0; ++i) left -= segments[i].bytes;
        add_part(share, std::span(segments).subspan(first, i - first), begin * element,
                 (end - begin) * element, element);
    }
    return share;
}

std::size_t descriptors_of(const neff::Transfer& transfer, std::span<const Segment> segments) {
    if (transfer.combination)
        return segments.size() * (transfer.indirect ? CombinedRowDescriptors : CombinedDescriptors);
    std::size_t descriptors = 0;
    for (const Segment& segment : segments) {
        if (segment.tile) descriptors += segment.tile->from.size() + 1;
    }
    if (transfer.transposes) return descriptors;
    if (!transfer.indirect) return segments.size();
    while (!segments.empty()) {
        const Group group = first_group(segments);
        descriptors += group.descriptors();
        segments = segments.subspan(group.segments);
    }
    return descriptors;
}

void add_packets(Ring& ring, std::uint8_t ring_id, std::span<const Segment> segments,
                 const neff::Transfer& transfer) {
    if (transfer.combination) {
        for (const Segment& segment : segments) add_combined(ring, ring_id, segment, transfer);
        return;
    }
    if (transfer.transposes) {
        for (const Segment& segment : segments)
            add_tile(ring, ring_id, *segment.tile, transfer.element_bytes);
        return;
    }
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
