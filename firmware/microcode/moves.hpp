// Moves columns of tensors of any type and step to and from contiguous columns of words.
#pragma once

#include "firmware/microcode/tensor.hpp"

namespace trnsim::firmware {

// Columns of elements; neighbouring elements of a partition are `step` bytes apart.
struct Run {
    uint32_t byte, step;
    uint32_t columns;
};

// Reads elements of 2^`size` bytes. Each comes to the upper end of its word; the bits below it are undefined.
void gather(uint32_t* words, uint32_t size, Run run);

// Writes the lower ends of words to the core's own partitions.
void scatter(const OwnPartitions& own, uint32_t size, Run run, const uint32_t* words);

// fill() writes one value to `words` words; copy() copies words unchanged.
void fill(uint32_t* to, uint32_t value, size_t words);
void copy(uint32_t* to, const uint32_t* from, size_t words);

}  // namespace trnsim::firmware
