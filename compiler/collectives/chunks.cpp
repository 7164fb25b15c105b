#include "compiler/collectives/algorithms.hpp"
#include "isa/element_type.hpp"

namespace trnsim::collectives {

std::vector<Chunk> chunks_of(const std::vector<std::uint64_t>& counts) {
    std::vector<Chunk> chunks;
    chunks.reserve(counts.size());
    std::uint64_t first = 0;
    for (const std::uint64_t count : counts) {
        chunks.push_back({first, count});
        first += count;
    }
    return chunks;
}

std::vector<Chunk> even_chunks(std::uint64_t count, std::size_t pieces) {
    std::vector<std::uint64_t> counts(pieces, count / pieces);
    for (std::size_t i = 0; i < count % pieces; ++i) ++counts[i];
    return chunks_of(counts);
}

Chunk part_of(const Chunk& chunk, std::size_t part, std::size_t parts) {
    const Chunk within = even_chunks(chunk.count, parts)[part];
    return {chunk.first + within.first, within.count};
}

BufferAddress element_at(BufferAddress vector, std::uint64_t element, isa::Dtype dtype) {
    vector.offset += element * isa::element_size(dtype);
    return vector;
}

}  // namespace trnsim::collectives
