// Collectives that are no reduce-scatter or all-gather, within a group.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "compiler/collectives/builder.hpp"

namespace trnsim::collectives {

// One piece of what members send each other.
struct Message {
    Place source, destination;
    std::uint64_t elements = 0;
};
// Each message in one transfer; through scratch where inputs and outputs are one memory.
void exchange(Builder& builder, std::span<const Message> messages, isa::Dtype dtype, bool in_place);

// The root writes to everybody; or those who have it to as many others, in rounds that double them.
void direct_broadcast(Builder& builder, std::span<const Place> outputs, Place input, std::size_t root,
                      std::uint64_t elements, isa::Dtype dtype);
void doubling_broadcast(Builder& builder, std::span<const Place> outputs, Place input, std::size_t root,
                        std::uint64_t elements, isa::Dtype dtype);

// Dissemination: in round k a member tells the one 2^k on whom it knows to have begun. A byte of each member
// goes in and out.
void barrier(Builder& builder, std::span<const Place> inputs, std::span<const Place> outputs);

}  // namespace trnsim::collectives
