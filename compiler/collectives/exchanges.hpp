// Collectives within a group other than reductions and gathers.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "compiler/collectives/builder.hpp"

namespace trnsim::collectives {

// One piece that a member sends to another.
struct Message {
    BufferAddress source, destination;
    std::uint64_t elements = 0;
};
// Moves each message in one transfer; through scratch if inputs and outputs are one memory.
void exchange(Builder& builder, std::span<const Message> messages, isa::Dtype dtype, bool in_place);

// Direct: the root writes to every member. Doubling: in each round, every member that has the data sends it
// to one that does not.
void direct_broadcast(Builder& builder, std::span<const BufferAddress> outputs, BufferAddress input,
                      std::size_t root, std::uint64_t elements, isa::Dtype dtype);
void doubling_broadcast(Builder& builder, std::span<const BufferAddress> outputs, BufferAddress input,
                        std::size_t root, std::uint64_t elements, isa::Dtype dtype);

// Dissemination: in round k a member tells the one 2^k further on about the members that it knows to have
// begun. The input and the output of each member are one byte.
void barrier(Builder& builder, std::span<const BufferAddress> inputs, std::span<const BufferAddress> outputs);

}  // namespace trnsim::collectives
