// Address map of the core's partitions. Word w of all 16 partitions is one beat of 64 bytes.
#pragma once

#include <stdint.h>

#include "trnsim/memory_map.h"

namespace trnsim::firmware {

inline constexpr uint32_t Partitions = TRNSIM_SLICE_PARTITIONS;
inline constexpr uint32_t PartitionBytes = TRNSIM_PARTITION_BYTES;
inline constexpr uint32_t WordStride = 4 * Partitions;  // bytes from a word of a partition to the next

constexpr uint32_t slice_offset(uint32_t partition, uint32_t byte) {
    return byte / 4 * WordStride + 4 * partition + byte % 4;
}

constexpr uint32_t slice_address(uint32_t partition, uint32_t byte) {
    return TRNSIM_SLICE_BASE + slice_offset(partition, byte);
}

}  // namespace trnsim::firmware
