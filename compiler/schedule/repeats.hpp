// Steps that make again what a buffer on the chip has already.
//
// A front end loads a tile in every iteration that uses it, and computes in every iteration what does not
// depend on it. Here the first buffer with such contents stays, if it can, and the steps that would fill the
// later ones go, with all steps whose results nothing else needs. As with the compiler of the chip
// (docs/silicon.md), a loop keeps what a call in it makes in every iteration anew. If inner loops vary what the
// call makes, only loads stay, and only if each pass of the outermost loop loads the same array, which fits.
#pragma once

#include <vector>

#include "compiler/builder/kernel_builder.hpp"
#include "compiler/schedule/lives.hpp"

namespace trnsim::schedule {

// Removes repeats from numbered steps, and numbers those that remain. A buffer stays in SBUF as long as no
// more than `room` bytes of a partition are in use in the author's order. The steps of loops, those that other
// steps name, and all of a kernel with the author's own places in SBUF stay.
void drop_repeats(builder::KernelBuilder& kernel, std::vector<builder::Step>& steps, const Lives& lives,
                  std::uint64_t room);

}  // namespace trnsim::schedule
