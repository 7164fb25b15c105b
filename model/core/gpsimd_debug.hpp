// A debugger of the GpSimd cores of a NeuronCore, and its operations on stopped cores.
//
// Cores stop between two instructions, after all results of earlier ones were written, or while they sleep in
// wfi; the engine that gave them work regards a stopped core as working. When one must stop, all do, and then
// simulated time stops until the debugger lets them go on. Stopping and going on takes cycles.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "model/core/counts.hpp"
#include "model/core/gpsimd.hpp"

namespace trnsim::tlm {

enum class GpsimdState : std::uint8_t {
    Halted,  // halted by the engine, or never started
    Stopped,
    Sleeping  // in wfi, at its address
};

class GpsimdDebugPort {
  public:
    virtual ~GpsimdDebugPort() = default;
    virtual unsigned cores() const = 0;
    virtual GpsimdState state(unsigned core) const = 0;
    virtual const GpsimdView& view(unsigned core) const = 0;

    // Returns the pc of the next instruction; 0 for a core that was never started.
    virtual std::uint32_t pc(unsigned core) const = 0;

    // Each returns false and changes nothing if the core has no such register or cannot take the value: pc
    // can only be set on a stopped core, to a multiple of 4.
    virtual bool set_pc(unsigned core, std::uint32_t pc) = 0;
    virtual bool set_scalar(unsigned core, unsigned index,
                            std::uint32_t value) = 0;  // index as in GpsimdView
    virtual bool set_vector(unsigned core, unsigned index, std::span<const std::uint8_t> bytes) = 0;
    virtual bool set_csr(unsigned core, std::uint32_t number, std::uint32_t value) = 0;

    // Access the NeuronCore's window through its back door: memories of the cores, and SBUF. Return false if
    // bytes are in no memory.
    virtual bool read(std::uint32_t offset, std::span<std::uint8_t> data) = 0;
    virtual bool write(std::uint32_t offset, std::span<const std::uint8_t> data) = 0;
};

enum class GpsimdReason : std::uint8_t { Asked, Breakpoint, Step, Trap, Access };

struct GpsimdStop {
    GpsimdReason reason{};
    unsigned core = 0;
    GpsimdCycle cycle{};  // Access: contains the access, which has been made
};

// A core with Stay stops where it is, or before its first instruction when the engine starts it. With Step, a
// core that does not run goes to its next instruction: the first when the engine starts it, the one after wfi
// when it wakes.
enum class GpsimdResume : std::uint8_t { Run, Step, Stay };

class GpsimdDebugger {
  public:
    using Resume = std::array<GpsimdResume, MaxGpsimdCores>;  // one for each core

    virtual ~GpsimdDebugger() = default;
    // Returns whether the cores must stop now; called often, so it must be cheap.
    virtual bool asks_to_stop() = 0;
    virtual bool breaks(unsigned core, std::uint32_t pc) const = 0;
    virtual bool watches() const = 0;                          // watches any address
    virtual bool watches(const GpsimdCycle& cycle) const = 0;  // watches the access of the cycle
    // Called when the cores have stopped. Returns how each must go on.
    virtual Resume stopped(GpsimdDebugPort& port, const GpsimdStop& stop) = 0;
};

}  // namespace trnsim::tlm
