#include "runtime/loader/transfer_packets.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "arch/dma/indices.hpp"
#include "arch/dma/transpose.hpp"
#include "arch/target/memory.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/isa_tables.hpp"
#include "runtime/loader/combination.hpp"
#include "runtime/loader/transposed.hpp"

namespace trnsim::loader {
namespace {

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

// Adds the rows of a tile, then its columns.
void add_tile(DescriptorWriter& writer, const TransposedTile& tile, std::uint32_t element) {
    writer.constant(dma::Operation::Transpose, dma::transpose_shape(tile.rows, tile.columns, element));
    for (const Run& run : tile.from) writer.read(run.address, run.bytes);
    for (const Run& run : tile.to) writer.write(run.address, run.bytes);
    writer.end();
}

void add_rule(DescriptorWriter& writer, const neff::Indirect& indirect, std::uint32_t bits) {
    writer.constant(dma::Operation::IndexStep, static_cast<std::uint64_t>(indirect.step));
    writer.constant(dma::Operation::IndexBounds, dma::index_bounds(indirect.first, indirect.last), bits);
}

void add_index(DescriptorWriter& writer, std::uint64_t address) {
    writer.read(address, dma::IndexBytes, encode(dma::ReadMeta{dma::Operation::Index}));
}

// Returns the bytes from the row of index 0 to that of the first index.
std::uint64_t before_first(const neff::Indirect& indirect) {
    return static_cast<std::uint64_t>(indirect.first * indirect.step);
}

void add_rows(DescriptorWriter& writer, std::span<const Segment> segments, const neff::Indirect& indirect) {
    add_rule(writer, indirect, indirect.skip ? dma::SkipBit : 0);
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (has_own_index(segments, i)) add_index(writer, *segments[i].index);
    }
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (has_own_index(segments, i)) ++number;
        const Segment& segment = segments[i];
        const std::uint32_t row = number << dma::RowShift;
        if (indirect.scatter) {
            writer.read(segment.from, segment.bytes);
            writer.write(segment.to - before_first(indirect), segment.bytes, row);
        } else {
            writer.read(segment.from - before_first(indirect), segment.bytes, row);
            writer.write(segment.to, segment.bytes);
        }
    }
    writer.end();
}

// A packet of two sources: the moved elements and those at the destination. With an index, the latter are
// read after every earlier write.
constexpr std::size_t CombinedDescriptors = 2, CombinedRowDescriptors = 5;

void add_combined(DescriptorWriter& writer, const Segment& segment, const neff::Transfer& transfer) {
    const neff::Combination& combination = *transfer.combination;
    Elements there{segment.to, segment.bytes, combination.dtype};
    if (segment.index) {
        add_rule(writer, *transfer.indirect, dma::WaitBit);
        add_index(writer, *segment.index);
        there.address -= before_first(*transfer.indirect);
        there.row = 1U << dma::RowShift;
    }
    const std::array sources{Elements{segment.from, segment.bytes, combination.dtype}, there};
    writer.combine(sources, operation_of(combination.op), there, isa::Rounding::Nearest);
    writer.end();
}

// Adds bytes first .. first + bytes - 1 of consecutive segments, in pieces that one packet can combine.
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

Segments even_share(const neff::Transfer& transfer, const Segments& segments, std::size_t engine,
                    std::size_t engines) {
    const auto part_of = [&](std::uint64_t count) {
        return std::pair(count * engine / engines, count * (engine + 1) / engines);
    };
    Segments share;
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

// Returns the partition of SBUF or PSUM at a system address.
std::optional<std::size_t> partition_of(const target::Core& target, std::uint64_t address, unsigned core) {
    const std::uint64_t window = addresses::core_window(core);
    if (address < window || address - window >= isa::window::GpsimdTcmBase) return {};
    const std::uint64_t place = address - window;
    if (place >= isa::window::PsumBase)
        return (place - isa::window::PsumBase) / isa::window::PsumPartitionStride;
    return (place - isa::window::SbufBase) / target::sbuf_partition_stride(target);
}

}  // namespace

std::vector<Segments> even_shares(const neff::Transfer& transfer, const Segments& segments,
                                  std::size_t engines) {
    std::vector<Segments> shares;
    for (std::size_t engine = 0; engine < engines; ++engine)
        shares.push_back(even_share(transfer, segments, engine, engines));
    return shares;
}

std::optional<std::vector<Segments>> partition_shares(const neff::Package& package,
                                                      const neff::Transfer& transfer,
                                                      const Segments& segments, unsigned core) {
    if (transfer.indirect || transfer.combination || transfer.transposes) return {};
    const auto engines = static_cast<std::size_t>(package.target.dma_engines);
    const auto partitions = static_cast<std::size_t>(package.target.partitions);
    std::vector<Segments> shares(engines);
    for (const Segment& segment : segments) {
        std::optional<std::size_t> partition = partition_of(package.target, segment.to, core);
        if (!partition) partition = partition_of(package.target, segment.from, core);
        if (!partition) return {};
        shares[*partition * engines / partitions].push_back(segment);
    }
    return shares;
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

void add_packets(DescriptorWriter& writer, std::span<const Segment> segments,
                 const neff::Transfer& transfer) {
    if (transfer.indirect && !transfer.combination) {
        while (!segments.empty()) {
            const Group group = first_group(segments);
            add_rows(writer, segments.first(group.segments), *transfer.indirect);
            segments = segments.subspan(group.segments);
        }
        return;
    }
    for (const Segment& segment : segments) {
        if (transfer.combination)
            add_combined(writer, segment, transfer);
        else if (transfer.transposes)
            add_tile(writer, *segment.tile, transfer.element_bytes);
        else
            writer.copy(segment.from, segment.to, segment.bytes);
    }
}

}  // namespace trnsim::loader
