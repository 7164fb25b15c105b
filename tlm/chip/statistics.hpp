// What a chip counted since it was built. Differences of two snapshots give the figures of a run.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tlm/core/rtl/core_model.hpp"

namespace trnsim::tlm {

// Accesses through a memory or an engine.
struct Traffic {
    std::uint64_t reads = 0, writes = 0;  // transactions
    std::uint64_t bytes_read = 0, bytes_written = 0;
};

struct EngineStatistics {
    std::array<std::uint64_t, 8> cycles_in_state{};  // core cycles, by isa::SeqState
    std::uint64_t busy_cycles = 0;                   // core cycles with the data path at work
    std::uint64_t issued = 0, completed = 0;         // instructions
};

struct CoreStatistics {
    std::uint64_t cycles = 0;            // of the core clock, those with a stopped clock included
    std::uint64_t evaluated_cycles = 0;  // those simulated one by one
    std::array<EngineStatistics, Engines> engine;
    Traffic window;         // accesses to the core window from outside
    Traffic manager;        // the core's own: instruction fetches and posted writes
    MemoryCounts memories;  // since reset, not of a run
    NumericError numeric;   // the same
    // Of the Tensor engine, in its cycles: see EngineCounters.
    std::uint64_t matmul_cycles = 0, fast_load_cycles = 0, normal_load_cycles = 0;
    Traffic tables;  // of activation functions, read by the core
};

struct DmaStatistics {
    Traffic data;                        // moved by descriptors
    std::uint64_t descriptor_bytes = 0;  // fetched
    std::uint64_t packets = 0;           // completed
    std::uint64_t busy_time = 0;         // fs with a packet at work
};

struct Statistics {
    std::uint64_t time = 0;  // fs of simulated time
    CoreStatistics core;
    std::vector<Traffic> hbm;        // by stack
    std::vector<DmaStatistics> dma;  // by engine
};

}  // namespace trnsim::tlm
