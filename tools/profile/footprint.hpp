// Computes how much of SBUF and PSUM a kernel uses.
#pragma once

#include <cstdint>

#include "compiler/neff/package.hpp"

namespace trnsim::profile {

// Bytes of a partition that an instruction or a transfer of the package writes, each from its first to its
// last byte, including gaps of its pattern. An address that a register is added to counts without the
// register.
struct Footprint {
    std::uint64_t sbuf = 0, psum = 0;
};

Footprint footprint(const neff::Package& package);

}  // namespace trnsim::profile
