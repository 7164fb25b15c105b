// A ring of pairs. The first of two consecutive members, the primary, moves the chunks of both. It combines
// arriving elements with those of both members in one transfer; when it passes elements on, it gives the
// other member a copy in the same transfer. The last of an odd number of members is a pair of its own.
#include <algorithm>

#include "compiler/collectives/algorithms.hpp"
#include "isa/element_type.hpp"

namespace trnsim::collectives {
namespace {

constexpr std::size_t KangaringSlots = 2;

struct Pairs {
    std::size_t members = 0;
    std::size_t count() const { return (members + 1) / 2; }
    static std::size_t primary(std::size_t pair) { return 2 * pair; }
    std::size_t end(std::size_t pair) const { return std::min(2 * pair + 2, members); }
};

// Returns the pairs in the order in which the cycle meets their primaries.
std::vector<Cycle> cycles_of_pairs(const std::vector<Cycle>& cycles) {
    std::vector<Cycle> of_pairs(cycles.size());
    for (std::size_t c = 0; c < cycles.size(); ++c) {
        for (const std::uint32_t member : cycles[c]) {
            if (member % 2 == 0) of_pairs[c].push_back(member / 2);
        }
    }
    return of_pairs;
}

}  // namespace

void kangaring_reduce_scatter(Builder& builder, const ReduceScatter& work) {
    const isa::Dtype dtype = work.arithmetic.dtype;
    const Pairs pairs{work.vectors.size()};
    const std::vector<Cycle> cycles = cycles_of_pairs(work.cycles);
    const std::size_t n = pairs.count(), parts = cycles.size();
    std::uint64_t most = 0;
    for (const Chunk& chunk : work.chunks) most = std::max(most, part_of(chunk, 0, parts).count);
    std::vector<BufferAddress> scratch(n);  // of each pair, KangaringSlots for each member of each cycle
    for (std::size_t pair = 0; pair < n; ++pair) {
        scratch[pair] = builder.scratch(work.vectors[pairs.primary(pair)].rank,
                                        parts * 2 * KangaringSlots * most * isa::element_size(dtype));
    }
    const auto slot = [&](std::size_t part, std::size_t pair, std::size_t owner, std::size_t hop) {
        return element_at(scratch[pair],
                          ((part * 2 + owner % 2) * KangaringSlots + hop % KangaringSlots) * most, dtype);
    };
    const auto pass = [&](std::size_t hop, std::size_t at, std::size_t part) {
        const Cycle& cycle = cycles[part];
        const std::size_t pair = cycle[at], target = cycle[(at + 2 * n - 1 - hop) % n];
        for (std::size_t owner = pairs.primary(target); owner < pairs.end(target); ++owner) {
            const Chunk chunk = part_of(work.chunks[owner], part, parts);
            Transfer transfer{work.arithmetic.combine,
                              {},
                              {},
                              chunk.count,
                              work.arithmetic.rounding,
                              work.first_number + (hop << NodeShift) + chunk.first};
            if (hop > 0) transfer.sources.push_back({slot(part, pair, owner, hop - 1), dtype});
            for (std::size_t member = pairs.primary(pair); member < pairs.end(pair); ++member)
                transfer.sources.push_back({element_at(work.vectors[member], chunk.first, dtype), dtype});
            if (transfer.sources.size() == 1) transfer.combine = Combine::Copy;
            const std::uint64_t within = chunk.first - work.chunks[owner].first;
            const BufferAddress result = element_at(work.results[owner], within, dtype);
            transfer.destinations = {
                {hop + 1 < n ? slot(part, cycle[(at + 1) % n], owner, hop) : result, dtype}};
            builder.add(work.vectors[pairs.primary(pair)].rank, std::move(transfer));
        }
    };
    for (std::size_t hop = 0; hop < n; ++hop) {
        for (std::size_t part = 0; part < parts; ++part) {
            for (std::size_t at = 0; at < n; ++at) pass(hop, at, part);
        }
    }
}

void kangaring_all_gather(Builder& builder, const AllGather& work) {
    const Pairs pairs{work.vectors.size()};
    const std::vector<Cycle> cycles = cycles_of_pairs(work.cycles);
    const std::size_t n = pairs.count(), parts = cycles.size();
    for (std::size_t member = 0; member < work.vectors.size(); ++member) {
        const Chunk& chunk = work.chunks[member];
        builder.copy(work.sources[member], element_at(work.vectors[member], chunk.first, work.dtype),
                     chunk.count, work.dtype);
    }
    const auto pass = [&](std::size_t hop, std::size_t at, std::size_t part) {
        const Cycle& cycle = cycles[part];
        const std::size_t pair = cycle[at], origin = cycle[(at + n - hop) % n];
        const std::size_t primary = pairs.primary(pair);
        for (std::size_t owner = pairs.primary(origin); owner < pairs.end(origin); ++owner) {
            const Chunk chunk = part_of(work.chunks[owner], part, parts);
            const auto in_vector = [&](std::size_t member) {
                return ElementRun{element_at(work.vectors[member], chunk.first, work.dtype), work.dtype};
            };
            const std::uint64_t within = chunk.first - work.chunks[owner].first;
            const std::size_t has = hop == 0 ? owner : primary;  // a member of this pair
            Transfer transfer;
            transfer.elements = chunk.count;
            transfer.sources = {
                hop == 0 ? ElementRun{element_at(work.sources[owner], within, work.dtype), work.dtype}
                         : in_vector(primary)};
            for (std::size_t member = primary; member < pairs.end(pair); ++member) {
                if (member != has) transfer.destinations.push_back(in_vector(member));
            }
            if (hop + 1 < n) transfer.destinations.push_back(in_vector(pairs.primary(cycle[(at + 1) % n])));
            if (!transfer.destinations.empty()) builder.add(work.vectors[primary].rank, std::move(transfer));
        }
    };
    for (std::size_t hop = 0; hop < n; ++hop) {
        for (std::size_t part = 0; part < parts; ++part) {
            for (std::size_t at = 0; at < n; ++at) pass(hop, at, part);
        }
    }
}

}  // namespace trnsim::collectives
