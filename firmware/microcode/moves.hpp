// Columns of tensors of any type and step to and from columns of words that stand side by side.
#pragma once

#include "firmware/microcode/tensor.hpp"

namespace trnsim::firmware {

// Columns of elements that are `step` bytes apart in their partitions.
struct Run {
    uint32_t byte, step;
    uint32_t columns;
};

// Elements of 2^`size` bytes. Each comes to the upper end of its word; bits below it are anything.
void gather(uint32_t* words, uint32_t size, Run run);

// The lower ends of words, to the core's own partitions.
void scatter(const OwnPartitions& own, uint32_t size, Run run, const uint32_t* words);

// The same value in `words` words; words as they are.
void fill(uint32_t* to, uint32_t value, size_t words);
void copy(uint32_t* to, const uint32_t* from, size_t words);

}  // namespace trnsim::firmware
