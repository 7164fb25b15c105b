// Programs that end at an instruction of GpSimd which cannot be done: everything that docs/firmware.md and
// docs/gpsimd.md say is refused.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/neff/package.hpp"

namespace trnsim::random_programs {

struct GpsimdFault {
    neff::Package package;
    std::string expected;  // in what is said of it
};

// How many kinds there are; all of them for a target of whole cores.
std::size_t gpsimd_fault_kinds();

// One of a kind, with random arguments otherwise.
GpsimdFault make_gpsimd_fault(const target::Core& target, std::size_t kind, std::uint64_t seed);

}  // namespace trnsim::random_programs
