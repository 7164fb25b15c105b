// A debugger of the GpSimd cores of a NeuronCore, and what it can do to them while they stand.
//
// Cores stop between two instructions, with the results of all before written, or where they sleep in wfi; the engine that gave
// them work takes a stopped one for one at work. When one is to stop all of them do, and then simulated time stands until the
// debugger has them go on. Stopping and going on takes cycles.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "model/core/counts.hpp"
#include "model/core/gpsimd.hpp"

namespace trnsim::tlm {

enum class GpsimdState : std::uint8_t {
    Halted,  // by the engine, or never started
    Stopped,
    Sleeping  // in wfi, at its address
};

class GpsimdDebugPort {
  public:
    virtual ~GpsimdDebugPort() = default;
    virtual unsigned cores() const = 0;
    virtual GpsimdState state(unsigned core) const = 0;
    virtual const GpsimdView& view(unsigned core) const = 0;

    // Of the next instruction; of a core that was never started it is 0.
    virtual std::uint32_t pc(unsigned core) const = 0;

    // Each returns false and changes nothing where the core has no such register, or cannot take the value: only a stopped core
    // takes a multiple of 4 as pc.
    virtual bool set_pc(unsigned core, std::uint32_t pc) = 0;
    virtual bool set_scalar(unsigned core, unsigned index,
                            std::uint32_t value) = 0;  // as GpsimdView has them
    virtual bool set_vector(unsigned core, unsigned index, std::span<const std::uint8_t> bytes) = 0;
    virtual bool set_csr(unsigned core, std::uint32_t number, std::uint32_t value) = 0;

    // The NeuronCore's window through its back door: memories of the cores, and SBUF. False where bytes are in no memory.
    virtual bool read(std::uint32_t offset, std::span<std::uint8_t> data) = 0;
    virtual bool write(std::uint32_t offset, std::span<const std::uint8_t> data) = 0;
};

enum class GpsimdReason : std::uint8_t { Asked, Breakpoint, Step, Trap, Access };

struct GpsimdStop {
    GpsimdReason reason{};
    unsigned core = 0;
    GpsimdCycle cycle{};  // of Access: with the access, which has been made
};

// A core that is to stay stops where it is, or before its first instruction when the engine starts it. One that does not run steps
// to its next instruction: the first when the engine starts it, that behind wfi when it wakes.
enum class GpsimdResume : std::uint8_t { Run, Step, Stay };

class GpsimdDebugger {
  public:
    using Resume = std::array<GpsimdResume, MaxGpsimdCores>;  // of each core

    virtual ~GpsimdDebugger() = default;
    // Asked often, and cheap: whether the cores are to stop now.
    virtual bool asks_to_stop() = 0;
    virtual bool breaks(unsigned core, std::uint32_t pc) const = 0;
    virtual bool watches() const = 0;                          // any address
    virtual bool watches(const GpsimdCycle& cycle) const = 0;  // the access of it
    // The cores stand. Returns how each is to go on.
    virtual Resume stopped(GpsimdDebugPort& port, const GpsimdStop& stop) = 0;
};

}  // namespace trnsim::tlm
