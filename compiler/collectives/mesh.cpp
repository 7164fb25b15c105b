// The owner of a chunk reads it from every member and combines the elements; then it writes the result to
// every member.
#include <algorithm>

#include "compiler/collectives/algorithms.hpp"
#include "isa/element_type.hpp"

namespace trnsim::collectives {
namespace {

// Returns operands in fp32, each of which combines up to MaxSources of the given ones, in their order.
std::vector<ElementRun> combine_some(Builder& builder, const std::vector<ElementRun>& operands,
                                     Combine combine, Rank rank, std::uint64_t elements) {
    constexpr isa::Dtype Wide = isa::Dtype::Fp32;
    std::vector<ElementRun> combined;
    for (std::size_t first = 0; first < operands.size(); first += MaxSources) {
        const std::size_t end = std::min(first + MaxSources, operands.size());
        Transfer transfer;
        transfer.combine = combine;
        transfer.sources.assign(operands.begin() + static_cast<std::ptrdiff_t>(first),
                                operands.begin() + static_cast<std::ptrdiff_t>(end));
        transfer.elements = elements;
        combined.push_back({builder.scratch(rank, elements * isa::element_size(Wide)), Wide});
        transfer.destinations = {combined.back()};
        builder.add(rank, std::move(transfer));
    }
    return combined;
}

// Combines the elements of all members in their order and converts them once. If there are more members than
// a transfer takes, groups of them are combined in fp32 first.
void combine_all(Builder& builder, const ReduceScatter& work, const Chunk& chunk, BufferAddress result) {
    const auto& [dtype, combine, rounding] = work.arithmetic;
    std::vector<ElementRun> operands;
    operands.reserve(work.vectors.size());
    for (const BufferAddress& vector : work.vectors)
        operands.push_back({element_at(vector, chunk.first, dtype), dtype});
    if (operands.size() == 1) {
        builder.copy(operands[0].place, result, chunk.count, dtype);
        return;
    }
    while (operands.size() > MaxSources)
        operands = combine_some(builder, operands, combine, result.rank, chunk.count);
    builder.add(
        result.rank,
        {combine, operands, {{result, dtype}}, chunk.count, rounding, work.first_number + chunk.first});
}

}  // namespace

void mesh_reduce_scatter(Builder& builder, const ReduceScatter& work) {
    for (std::size_t member = 0; member < work.vectors.size(); ++member)
        combine_all(builder, work, work.chunks[member], work.results[member]);
}

void mesh_all_gather(Builder& builder, const AllGather& work) {
    const std::size_t n = work.vectors.size();
    for (std::size_t distance = 0; distance < n; ++distance) {
        for (std::size_t member = 0; member < n; ++member) {
            const BufferAddress& vector = work.vectors[(member + distance) % n];
            builder.copy(work.sources[member], element_at(vector, work.chunks[member].first, work.dtype),
                         work.chunks[member].count, work.dtype);
        }
    }
}

void single_step_all_reduce(Builder& builder, const ReduceScatter& work) {
    const Chunk whole{0, work.chunks.back().end()};
    const isa::Dtype dtype = work.arithmetic.dtype;
    std::vector<BufferAddress> results = work.results;
    // In place, no result is written before every member has read the vectors.
    for (std::size_t member = 0; member < results.size(); ++member) {
        if (results[member] == work.vectors[member])
            results[member] = builder.scratch(results[member].rank, whole.count * isa::element_size(dtype));
        combine_all(builder, work, whole, results[member]);
    }
    for (std::size_t member = 0; member < results.size(); ++member)
        builder.copy(results[member], work.results[member], whole.count, dtype);
}

}  // namespace trnsim::collectives
