// Programs that stop at an instruction of GpSimd that cannot be executed. They cover everything that
// docs/firmware.md and docs/gpsimd.md say is refused.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/neff/package.hpp"

namespace trnsim::test {

struct GpsimdFault {
    neff::Package package;
    std::string expected;  // a part of its message
};

// Returns the number of kinds. All of them need a target of whole cores.
std::size_t gpsimd_fault_kinds();

// Makes a fault of this kind; its other arguments are random.
GpsimdFault make_gpsimd_fault(const target::Core& target, std::size_t kind, std::uint64_t seed);

}  // namespace trnsim::test
