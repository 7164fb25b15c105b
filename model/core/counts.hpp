// The counts that a core keeps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trnsim::tlm {

constexpr int Engines = 5;  // instruction streams, in the order of isa::Engine

// Counts of the memories of a core since reset: cycles in which a requester waited for a port, each in its
// own clock, and events (memory_pkg::count_e).
struct MemoryCounts {
    std::uint32_t moving_waits = 0, vector_waits = 0, scalar_waits = 0, bus_waits = 0, sequencer_waits = 0;
    std::uint32_t unfounded = 0;  // result rows added to PSUM words that no matmul had written
    std::uint32_t corrected = 0, uncorrected = 0;  // words read with wrong bits
    // Words that engines read before they were written; place of the first in the core window, and the
    // engine.
    std::uint32_t unwritten = 0, unwritten_address = 0, unwritten_reader = 0;
    std::uint32_t gpsimd_waits = 0;
};

// Adds the counts of a core that went on with another model: `a` before the change, `b` after it.
constexpr MemoryCounts operator+(const MemoryCounts& a, const MemoryCounts& b) {
    const MemoryCounts& first = a.unwritten != 0 ? a : b;  // the model that first met an unwritten word
    return {a.moving_waits + b.moving_waits,
            a.vector_waits + b.vector_waits,
            a.scalar_waits + b.scalar_waits,
            a.bus_waits + b.bus_waits,
            a.sequencer_waits + b.sequencer_waits,
            a.unfounded + b.unfounded,
            a.corrected + b.corrected,
            a.uncorrected + b.uncorrected,
            a.unwritten + b.unwritten,
            first.unwritten_address,
            first.unwritten_reader,
            a.gpsimd_waits + b.gpsimd_waits};
}

// Counts of the engines of a core since reset, each in cycles of its own clock.
struct EngineCounters {
    std::array<std::uint64_t, Engines> busy{};  // cycles with work
    // Cycles of the Tensor engine in which a moving element enters the array, in which four columns of a
    // stationary operand enter, and in which fewer columns do.
    std::uint64_t matmul = 0, fast_load = 0, normal_load = 0;
};

constexpr EngineCounters operator+(EngineCounters a, const EngineCounters& b) {
    for (std::size_t e = 0; e < a.busy.size(); ++e) a.busy[e] += b.busy[e];
    a.matmul += b.matmul;
    a.fast_load += b.fast_load;
    a.normal_load += b.normal_load;
    return a;
}

// The class of a cycle of a GpSimd core: an instruction retires, or the reason why the next one does not
// (docs/gpsimd.md).
enum class GpsimdClass : std::uint8_t { Retired, Fetch, Operand, Vector, Memory, Unit, Trap, Sleep };
constexpr std::size_t GpsimdClasses = 8;
constexpr std::array<std::string_view, GpsimdClasses> GpsimdClassNames{
    "retired", "fetch", "operand", "vector", "memory", "unit", "trap", "sleep"};

// Counts of a GpSimd core since reset, in cycles of its own clock, which stops while the core sleeps.
struct GpsimdCoreCounters {
    std::uint64_t cycles = 0;
    std::array<std::uint64_t, GpsimdClasses> in_class{};  // each cycle in exactly one

    std::uint64_t in(GpsimdClass which) const { return in_class[static_cast<std::size_t>(which)]; }
    std::uint64_t instructions() const { return in(GpsimdClass::Retired); }
};
constexpr int MaxGpsimdCores = 8;
using GpsimdCounters = std::array<GpsimdCoreCounters, MaxGpsimdCores>;

constexpr GpsimdCounters operator+(GpsimdCounters a, const GpsimdCounters& b) {
    for (std::size_t k = 0; k < a.size(); ++k) {
        a[k].cycles += b[k].cycles;
        for (std::size_t c = 0; c < GpsimdClasses; ++c) a[k].in_class[c] += b[k].in_class[c];
    }
    return a;
}

// Results that are NaN since reset: the engines that have written one (one bit each), and the first
// instruction that did.
struct NumericError {
    std::uint8_t engines = 0, engine = 0, opcode = 0;
    std::uint32_t pc = 0;
};

}  // namespace trnsim::tlm
