// Random programs for the sequencers of all engines: loops and branches on registers, register loads and
// stores, waits and updates of every mode, DMA triggered by every engine, and between them instructions of
// the engine itself, with registers in their addresses.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "compiler/neff/package.hpp"

namespace trnsim::random_programs {

struct ControlPrograms {
    neff::Package package;
    std::vector<std::uint8_t> before;  // contents of its input
};

// In each of the `rounds` every engine loads its own part of SBUF and PSUM, works on it, stores it, and hands
// over to other engines.
ControlPrograms make_control_programs(const target::Core& target, std::uint64_t seed, std::uint64_t rounds);

}  // namespace trnsim::random_programs
