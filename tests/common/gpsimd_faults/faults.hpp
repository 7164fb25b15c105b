// Programs that end at an instruction of GpSimd which cannot be done: everything that docs/firmware.md and
// docs/gpsimd.md say is refused.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/neff/package.hpp"

namespace trnsim::test {

struct GpsimdFault {
    neff::Package package;
    std::string expected;  // its message has this in it
};

// The number of kinds; all of them are for a target of whole cores.
std::size_t gpsimd_fault_kinds();

// One of a kind, with random arguments otherwise.
GpsimdFault make_gpsimd_fault(const target::Core& target, std::size_t kind, std::uint64_t seed);

}  // namespace trnsim::test
