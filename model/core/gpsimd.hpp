// Events in the GpSimd cores of a NeuronCore, cycle by cycle, for tracing, profiling and debugging.
//
// A cycle is an edge of the core's own clock; a sleeping core has none. An observer costs simulation speed;
// without one there is no cost.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "model/core/counts.hpp"

namespace trnsim::tlm {

// Returns the number of GpSimd cores of a NeuronCore with so many partitions: every core has some of them.
constexpr unsigned gpsimd_cores(std::uint64_t partitions) {
    constexpr unsigned OfACore = 16;
    return static_cast<unsigned>(
        std::min((partitions + OfACore - 1) / OfACore, std::uint64_t{MaxGpsimdCores}));
}

// The unit that makes a result; an instruction awaits its unit if the result comes later. The last two are
// vector loads and stores that run beside others.
enum class GpsimdSource : std::uint8_t {
    Execute,
    Load,
    Multiply,
    Divide,
    Float,
    Vector,
    VectorLoad,
    VectorStore
};

struct GpsimdResult {
    GpsimdSource source{};
    std::uint8_t dest = 0;  // x0 to x31, then f0 to f31
    std::uint32_t value = 0;
    std::uint8_t flags = 0;  // raised by a floating-point operation
};

// An access that the memory has accepted, within 64 bytes. A scalar load has no strobe.
struct GpsimdAccess {
    std::uint32_t address = 0;  // address of its first byte
    bool store = false;
    unsigned bytes = 0;                   // bytes of an element of a vector access; 0: scalar
    std::uint64_t strobe = 0;             // one bit for each of the 64 bytes
    std::array<std::uint8_t, 64> data{};  // stored bytes, in their places in the 64 bytes
    bool ends = false;                    // the last one of a vector load that runs beside others
};

// The work of a part of the vector unit: of its operation (Vector), its load or its store. `done` is not told
// of loads and stores that do not run beside others.
struct GpsimdVectorWork {
    GpsimdSource source = GpsimdSource::Vector;
    std::optional<std::uint8_t> written{};  // vector register
    std::uint8_t flags = 0;
    bool saturated = false, done = false;
};

struct GpsimdCycle {
    GpsimdClass which{};
    // The instruction in execute, or the last one there.
    std::uint32_t pc = 0, insn = 0;
    bool executes = false;                 // an instruction is in execute
    bool retired = false;                  // it leaves, and takes effect
    std::optional<GpsimdSource> awaits{};  // it retires, but its result comes later
    bool trapped = false;
    bool part = false;     // a vector load or store that had begun and trapped
    bool cuts_vl = false;  // a fault-only-first load ended early
    std::array<GpsimdResult, 3> results{};
    unsigned result_count = 0;
    std::optional<GpsimdAccess> access{}, store_beside{};  // store_beside: beside a load
    std::array<GpsimdVectorWork, 3> vector_works{};
    unsigned vector_count = 0;
};

// The state of a core after an edge.
class GpsimdView {
  public:
    virtual ~GpsimdView() = default;
    virtual std::uint32_t scalar(unsigned index) const = 0;                    // x0 to x31, then f0 to f31
    virtual std::span<const std::uint8_t> vector(unsigned index) const = 0;    // bytes of v0 to v31
    virtual std::optional<std::uint32_t> csr(std::uint32_t number) const = 0;  // none: no such CSR
    virtual std::span<const std::uint8_t> memory() const = 0;                  // the TCM
};

class GpsimdObserver {
  public:
    virtual ~GpsimdObserver() = default;
    // Called when the core begins to run, perhaps another program.
    virtual void start(unsigned, const GpsimdView&) {}
    virtual void cycle(unsigned core, const GpsimdCycle& cycle, const GpsimdView& view) = 0;
};

}  // namespace trnsim::tlm
