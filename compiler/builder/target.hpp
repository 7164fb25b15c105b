// The target of a configuration.
#pragma once

#include "arch/config/config.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::builder {

// What a kernel is built for, and the memory of the chip: a kernel that fits runs on any chip with the same
// core.
struct Target : neff::Target {
    Target(const neff::Target& core) : neff::Target(core) {}  // NOLINT: HBM of any size

    std::uint64_t hbm_stacks = 0;
    std::uint64_t hbm_stack = 0;  // bytes of each; 0: not known
    // Of all engines: what a host builds and loads in seconds. More work is more kernels.
    std::uint64_t max_instructions = std::uint64_t{1} << 23;
};

// What kernels for `config` are built for.
Target target_of(const config::Config& config);

}  // namespace trnsim::builder
