// Watches the reads of words that nothing has written, an instruction at a time.
#pragma once

#include "model/values/check.hpp"
#include "model/values/functional_core.hpp"
#include "model/values/operation.hpp"

namespace trnsim::fast {

// Returns the words that an instruction is about to read which nothing has written. A word of several elements
// that follow each other counts once, as the engines read it once. Sums onto PSUM are no reads in this sense.
Unwritten unwritten_reads(const Operation& operation, const Memories& memories);

// Notes the words that an instruction has written. `mask` is that of stream_shuffle, which leaves rows out. An
// instruction with a predicate counts as having written all of its destination.
void note_writes(const Operation& operation, const ShuffleMask& mask, Memories& memories);

}  // namespace trnsim::fast
