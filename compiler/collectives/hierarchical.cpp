#include <numeric>

#include "compiler/collectives/algorithms.hpp"
#include "isa/element_type.hpp"

namespace trnsim::collectives {

void hierarchical_all_reduce(Builder& builder, const ReduceScatter& work, std::uint32_t inner) {
    const isa::Dtype dtype = work.arithmetic.dtype;
    const std::size_t n = work.vectors.size(), groups = n / inner;
    const std::vector<Chunk> chunks = even_chunks(work.chunks.back().end(), inner);
    std::vector<BufferAddress> sums;  // by member: sum of its chunk, within its group and then of all
    sums.reserve(n);
    for (std::size_t member = 0; member < n; ++member) {
        const std::uint64_t bytes = chunks[member % inner].count * isa::element_size(dtype);
        sums.push_back(builder.scratch(work.vectors[member].rank, bytes));
    }
    const auto of_group = [inner](const std::vector<BufferAddress>& places, std::size_t group) {
        const auto first = places.begin() + static_cast<std::ptrdiff_t>(group * inner);
        return std::vector<BufferAddress>(first, first + inner);
    };
    // The numbers of partial sums are all different: a ring has as many as members.
    const auto number = [&](std::size_t node) {
        return work.first_number + (std::uint64_t{node} << NodeShift);
    };
    for (std::size_t g = 0; g < groups; ++g) {
        ring_reduce_scatter(builder, {work.arithmetic, of_group(work.vectors, g), chunks, of_group(sums, g),
                                      work.cycles, number(g * inner)});
    }
    Cycle between(groups);
    std::iota(between.begin(), between.end(), 0u);
    for (std::size_t position = 0; position < inner; ++position) {
        const std::vector<Chunk> pieces = even_chunks(chunks[position].count, groups);
        std::vector<BufferAddress> vectors, results;
        vectors.reserve(groups);
        results.reserve(groups);
        for (std::size_t g = 0; g < groups; ++g) {
            vectors.push_back(sums[g * inner + position]);
            results.push_back(element_at(vectors[g], pieces[g].first, dtype));
        }
        ring_reduce_scatter(
            builder,
            {work.arithmetic, vectors, pieces, results, {between}, number(n) + chunks[position].first});
        ring_all_gather(builder, {dtype, results, pieces, vectors, {between}});
    }
    for (std::size_t g = 0; g < groups; ++g)
        ring_all_gather(builder, {dtype, of_group(sums, g), chunks, of_group(work.results, g), work.cycles});
}

}  // namespace trnsim::collectives
