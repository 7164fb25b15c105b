// The check that a state fits a core of a given size.
#pragma once

#include <cstddef>

#include "arch/checkpoint/core_state.hpp"

namespace trnsim::checkpoint {

struct Shape {
    std::size_t partitions = 0, sbuf_partition = 0, psum_partition = 0;  // bytes
    std::size_t array_rows = 0, array_columns = 0;
    std::size_t gpsimd_cores = 0, gpsimd_vlen = 0, gpsimd_memory = 0;  // bits of a vector, bytes
};

// Throws Error with the found and the expected value.
void check_shape(const CoreState& state, const Shape& shape);

}  // namespace trnsim::checkpoint
