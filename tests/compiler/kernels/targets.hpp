// Targets for tests of the kernels.
#pragma once

#include "compiler/neff/package.hpp"

namespace trnsim::test {

// Returns a target with a square array of `size` and as many partitions.
inline target::Core square_target(int size, std::uint64_t sbuf_partition, std::uint64_t psum_partition,
                                  int banks, int rings = 16) {
    target::Core target;
    target.rows = target.columns = target.partitions = size;
    target.sbuf_partition = sbuf_partition;
    target.psum_partition = psum_partition;
    target.psum_banks = banks;
    target.dma_engines = 16;
    target.dma_rings = rings;
    return target;
}

inline target::Core trn1_target() {
    return square_target(128, 192 << 10, 16 << 10, 8);
}
inline target::Core small_target() {
    return square_target(8, 4 << 10, 4 << 10, 8);
}

// Returns a target with 8 rows, 16 columns, little memory, one bank and the fewest rings.
inline target::Core odd_target() {
    target::Core target = square_target(16, 4 << 10, 512, 1, 2);
    target.rows = 8;
    target.dma_engines = 3;
    return target;
}

}  // namespace trnsim::test
