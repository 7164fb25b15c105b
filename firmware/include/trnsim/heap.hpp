// 16 KiB of TCM for operators. Blocks are aligned to 64 bytes, and 64 bytes in front of each are the heap's: the largest
// block has 16,320.
#pragma once

#include <stdint.h>

namespace trnsim {

// Null when there is no block of this size.
void* tcm_malloc(uint32_t bytes);

// What is no block of tcm_malloc is left alone; null as well.
void tcm_free(void* block);

}  // namespace trnsim
