// A heap of 16 KiB of TCM for operators, less in an image with more than 37 KiB of code and data. Blocks are aligned
// to 64 bytes, and the heap uses the 64 bytes before each block, so the largest block has 16,320 bytes.
#pragma once

#include <stdint.h>

namespace trnsim {

// Returns null when there is no free block of this size.
void* tcm_malloc(uint32_t bytes);

// Ignores null and any pointer that did not come from tcm_malloc.
void tcm_free(void* block);

}  // namespace trnsim
