// The counts of a core since it was built.
#pragma once

#include <array>
#include <cstdint>

#include "arch/addresses/addresses.hpp"
#include "model/core/counts.hpp"
#include "model/protocol/traffic.hpp"

namespace trnsim::tlm {

struct EngineStatistics {
    std::array<std::uint64_t, 8> cycles_in_state{};  // core cycles, by isa::SeqState
    std::uint64_t busy_cycles = 0;                   // core cycles with the data path at work
    std::uint64_t issued = 0, completed = 0;         // instructions
};

struct CoreStatistics {
    addresses::CoreId id;
    std::uint64_t cycles = 0;            // core clock, including those with a stopped clock
    std::uint64_t evaluated_cycles = 0;  // cycles simulated one by one
    std::array<EngineStatistics, Engines> engine;
    Traffic window;         // accesses to the core window from outside
    Traffic manager;        // the core's accesses: instruction fetches and posted writes
    MemoryCounts memories;  // since reset, not for a run
    NumericError numeric;   // since reset, not for a run
    // Cycles of the Tensor engine: see EngineCounters.
    std::uint64_t matmul_cycles = 0, fast_load_cycles = 0, normal_load_cycles = 0;
    Traffic tables;         // reads of tables of activation functions
    GpsimdCounters gpsimd;  // since reset
};

}  // namespace trnsim::tlm
