// The target of a kernel: the core and the chip that it is built for.
#pragma once

#include <cstdint>

#include "arch/config/config.hpp"

namespace trnsim::target {

// The properties of a core that a kernel is built for; a kernel runs only on a configuration with equal ones.
struct Core {
    int rows = 0, columns = 0, partitions = 0;
    std::uint64_t sbuf_partition = 0, psum_partition = 0;  // bytes
    int psum_banks = 0;
    int dma_engines = 0, dma_rings = 0;
    int gpsimd_vlen = 512;  // bits of a vector register of a GpSimd core
    bool operator==(const Core&) const = default;
};

// A core and the memory of its chip: a kernel that fits runs on any chip with the same core.
struct Chip : Core {
    Chip(const Core& core) : Core(core) {}  // NOLINT: HBM of any size

    std::uint64_t hbm_stacks = 0;
    std::uint64_t hbm_stack = 0;  // bytes of each stack; 0: not known
    // The most instructions of a kernel on all engines together; a host builds and loads them in seconds.
    std::uint64_t max_instructions = std::uint64_t{1} << 23;
};

// Returns the target of kernels for `config`.
Chip of(const config::Config& config);

}  // namespace trnsim::target
