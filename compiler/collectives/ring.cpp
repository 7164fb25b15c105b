// A chunk goes once round each cycle, from the successor of its owner to the owner, and each member adds its
// own elements; then it goes round once more, from the owner on, and each member keeps it.
#include <algorithm>

#include "compiler/collectives/algorithms.hpp"
#include "isa/element_type.hpp"

namespace trnsim::collectives {
namespace {

constexpr std::size_t RingSlots = 2;  // one for the piece that arrives, one for the piece that is passed on

// The slots of each member for partial sums of one cycle.
std::vector<BufferAddress> slots(Builder& builder, const ReduceScatter& work, std::uint64_t bytes) {
    std::vector<BufferAddress> places;
    places.reserve(work.vectors.size());
    for (const BufferAddress& vector : work.vectors)
        places.push_back(builder.scratch(vector.rank, RingSlots * bytes));
    return places;
}

}  // namespace

void ring_reduce_scatter(Builder& builder, const ReduceScatter& work) {
    const isa::Dtype dtype = work.arithmetic.dtype;
    const std::size_t n = work.vectors.size(), parts = work.cycles.size();
    std::uint64_t most = 0;
    for (const Chunk& chunk : work.chunks) most = std::max(most, part_of(chunk, 0, parts).count);
    std::vector<std::vector<BufferAddress>> scratch(parts);
    for (auto& places : scratch) places = slots(builder, work, most * isa::element_size(dtype));
    const auto slot = [&](std::size_t part, std::size_t member, std::size_t hop) {
        return element_at(scratch[part][member], hop % RingSlots * most, dtype);
    };
    for (std::size_t hop = 0; hop < n; ++hop) {
        for (std::size_t part = 0; part < parts; ++part) {
            for (std::size_t at = 0; at < n; ++at) {
                const Cycle& cycle = work.cycles[part];
                const std::size_t member = cycle[at], owner = cycle[(at + 2 * n - 1 - hop) % n];
                const std::size_t next = cycle[(at + 1) % n];
                const Chunk chunk = part_of(work.chunks[owner], part, parts);
                const ElementRun own{element_at(work.vectors[member], chunk.first, dtype), dtype};
                Transfer transfer{Combine::Copy, {own}, {}, chunk.count, work.arithmetic.rounding, 0};
                if (hop > 0) {
                    transfer.combine = work.arithmetic.combine;
                    transfer.sources = {{slot(part, member, hop - 1), dtype}, own};
                    transfer.first_element = work.first_number + (hop << NodeShift) + chunk.first;
                }
                const std::uint64_t within = chunk.first - work.chunks[owner].first;
                transfer.destinations = {
                    {hop + 1 < n ? slot(part, next, hop) : element_at(work.results[owner], within, dtype),
                     dtype}};
                builder.add(work.vectors[member].rank, std::move(transfer));
            }
        }
    }
}

void ring_all_gather(Builder& builder, const AllGather& work) {
    const std::size_t n = work.vectors.size(), parts = work.cycles.size();
    for (std::size_t member = 0; member < n; ++member) {
        const Chunk& chunk = work.chunks[member];
        builder.copy(work.sources[member], element_at(work.vectors[member], chunk.first, work.dtype),
                     chunk.count, work.dtype);
    }
    for (std::size_t hop = 0; hop + 1 < n; ++hop) {
        for (std::size_t part = 0; part < parts; ++part) {
            for (std::size_t at = 0; at < n; ++at) {
                const Cycle& cycle = work.cycles[part];
                const std::size_t member = cycle[at], owner = cycle[(at + n - hop) % n];
                const std::size_t next = cycle[(at + 1) % n];
                const Chunk chunk = part_of(work.chunks[owner], part, parts);
                const std::uint64_t within = chunk.first - work.chunks[owner].first;
                const BufferAddress here = hop == 0
                                               ? element_at(work.sources[owner], within, work.dtype)
                                               : element_at(work.vectors[member], chunk.first, work.dtype);
                builder.copy(here, element_at(work.vectors[next], chunk.first, work.dtype), chunk.count,
                             work.dtype);
            }
        }
    }
}

}  // namespace trnsim::collectives
