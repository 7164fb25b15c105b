// What a core counts of itself.
#pragma once

#include <array>
#include <cstdint>

namespace trnsim::tlm {

constexpr int Engines = 5;  // instruction streams, in the order of isa::Engine

// What the memories of a core have counted since reset: cycles in which somebody waited for a port, each in
// its own clock, and events (memory_pkg::count_e).
struct MemoryCounts {
    std::uint32_t moving_waits = 0, vector_waits = 0, scalar_waits = 0, bus_waits = 0, sequencer_waits = 0;
    std::uint32_t unfounded = 0;  // result rows added to PSUM words that no matmul had written
    std::uint32_t corrected = 0, uncorrected = 0;  // words read with wrong bits
    // Words that engines read before anything had written them; place of the first in the core window, and
    // the engine.
    std::uint32_t unwritten = 0, unwritten_address = 0, unwritten_reader = 0;
    std::uint32_t gpsimd_waits = 0;
};

// What the engines of a core have counted since reset, each in cycles of its own clock.
struct EngineCounters {
    std::array<std::uint64_t, Engines> busy{};  // with work
    // Of the Tensor engine: a moving element enters the array, four columns of a stationary operand do,
    // fewer.
    std::uint64_t matmul = 0, fast_load = 0, normal_load = 0;
};

// What the cores of GpSimd have counted since reset.
constexpr int MaxGpsimdCores = 8;
struct GpsimdCounters {
    std::array<std::uint64_t, MaxGpsimdCores> cycles{};        // of the core's own clock
    std::array<std::uint64_t, MaxGpsimdCores> instructions{};  // that have retired
};

// Results that are NaN, since reset: the engines that have written one (a bit each), and the first
// instruction that did.
struct NumericError {
    std::uint8_t engines = 0, engine = 0, opcode = 0;
    std::uint32_t pc = 0;
};

}  // namespace trnsim::tlm
