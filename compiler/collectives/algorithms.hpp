// The two halves of most collectives, by each algorithm: reduce-scatter and all-gather within a group.
// docs/collectives.md has the order of each reduction.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/collectives/builder.hpp"
#include "compiler/collectives/schedule.hpp"

namespace trnsim::collectives {

using Cycle = std::vector<std::uint32_t>;  // every member once; the last is followed by the first

// A part of the elements of a vector. The chunks of members follow each other without gaps, in the order of
// the members.
struct Chunk {
    std::uint64_t first = 0, count = 0;
    std::uint64_t end() const { return first + count; }
};
std::vector<Chunk> chunks_of(const std::vector<std::uint64_t>& counts);
// Cuts `count` elements into `pieces` pieces; the first ones are one element longer if the count is not
// divisible.
std::vector<Chunk> even_chunks(std::uint64_t count, std::size_t pieces);
// Returns piece `part` of `parts` of a chunk.
Chunk part_of(const Chunk& chunk, std::size_t part, std::size_t parts);

// Returns the place of an element.
BufferAddress element_at(BufferAddress vector, std::uint64_t element, isa::Dtype dtype);

struct Arithmetic {
    isa::Dtype dtype = isa::Dtype::Fp32;
    Combine combine = Combine::Copy;
    isa::Rounding rounding = isa::Rounding::Nearest;
};

// Partial sums have numbers for stochastic rounding: the number of element e of a vector in the sum `node` is
// `first_number` + node 2^40 + e.
constexpr unsigned NodeShift = 40;

struct ReduceScatter {
    Arithmetic arithmetic;
    std::vector<BufferAddress> vectors;  // by member: all chunks
    std::vector<Chunk> chunks;           // by member
    std::vector<BufferAddress> results;  // by member: the place of its chunk's reduction
    std::vector<Cycle> cycles;           // at least one; each carries its part of every chunk
    std::uint64_t first_number = 0;
};
struct AllGather {
    isa::Dtype dtype = isa::Dtype::Fp32;
    std::vector<BufferAddress> sources;  // by member: its chunk
    std::vector<Chunk> chunks;
    std::vector<BufferAddress> vectors;  // by member: the place of all chunks
    std::vector<Cycle> cycles;
};

void ring_reduce_scatter(Builder& builder, const ReduceScatter& work);
void ring_all_gather(Builder& builder, const AllGather& work);

void mesh_reduce_scatter(Builder& builder, const ReduceScatter& work);
void mesh_all_gather(Builder& builder, const AllGather& work);
// Every member reduces all of the vectors itself: `results` has the whole vector of each member.
void single_step_all_reduce(Builder& builder, const ReduceScatter& work);

void halving_reduce_scatter(Builder& builder, const ReduceScatter& work);
void doubling_all_gather(Builder& builder, const AllGather& work);
// All of an all-reduce by these two. Each cycle is an order of the members in which they are participants, and
// carries its part of the vectors. `results` has the whole vector of each member.
void halving_doubling_all_reduce(Builder& builder, const ReduceScatter& work);

void kangaring_reduce_scatter(Builder& builder, const ReduceScatter& work);
void kangaring_all_gather(Builder& builder, const AllGather& work);

// The groups have `inner` consecutive members; their number divides that of the members. The cycles are those
// of one group. `results` has the whole vector of each member.
void hierarchical_all_reduce(Builder& builder, const ReduceScatter& work, std::uint32_t inner);

}  // namespace trnsim::collectives
