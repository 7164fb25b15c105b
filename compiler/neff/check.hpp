// The validity of a compiled kernel.
#pragma once

#include <cstdint>

#include "compiler/neff/error.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::neff {

// The most descriptors that one doorbell hands over to a ring.
inline constexpr std::uint64_t MaxDescriptors = 0xffff;
// The most descriptors that a ring holds.
inline constexpr std::uint64_t MaxRingDescriptors = (1U << 24) - 16;

// Throws Error that names the part at fault unless
// * target, tensors, images and queues are within the machine's limits and their names are unique;
// * every transfer's patterns have equally many elements and lie within their tensor or within SBUF or PSUM,
//   in no more pieces than a doorbell can hand over, and so in every iteration of its loop;
// * every loop has transfers, which follow each other in their queues;
// * no queue needs more descriptors than a ring holds;
// * every started program ends with halt, its branches stay inside;
// * every transfer has one trigger, in the program of its queue's owner.
void check(const Package& package);

}  // namespace trnsim::neff
