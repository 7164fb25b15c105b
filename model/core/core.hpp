// The interface of a NeuronCore in the SystemC system, for every model of it. model/core/rtl has the
// verilated one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <systemc>

#include "arch/addresses/addresses.hpp"
#include "arch/checkpoint/core_state.hpp"
#include "arch/config/config.hpp"
#include "model/core/gpsimd.hpp"
#include "model/core/gpsimd_debug.hpp"
#include "model/core/info.hpp"
#include "model/core/statistics.hpp"
#include "model/perturb/perturb.hpp"
#include "model/protocol/initiator_port.hpp"
#include "model/protocol/target_port.hpp"
#include "model/trace/sink.hpp"

namespace trnsim::tlm {

class MemoryWatch;

class Core : public sc_core::sc_module {
  public:
    explicit Core(const sc_core::sc_module_name& name) : sc_module(name) {}

    // The core window; addresses are offsets. Its debug transport accesses SBUF and PSUM.
    virtual protocol::TargetPort& window_port() = 0;
    // The core's own accesses: instruction fetches and writes, and reads of activation tables.
    virtual protocol::InitiatorPort& manager_port() = 0;
    virtual protocol::InitiatorPort& table_port() = 0;

    virtual CoreInfo info() const { return {}; }
    virtual bool error() const = 0;
    virtual bool done() const = 0;    // at rest, at least one engine halted, the others never started
    virtual bool unused() const = 0;  // at rest, no engine was ever started
    virtual std::uint64_t progress() const = 0;  // grows with the core's work
    virtual std::string state() const = 0;       // one line on the engines, without the core's name
    virtual CoreStatistics statistics() const = 0;

    // Called before restart(): engines get no further instruction, so the core becomes quiet.
    virtual void halt() = 0;
    virtual bool quiet() const = 0;  // no engine at work, no window access under way
    // Puts a quiet core back into its first state, except for the contents of SBUF and PSUM, its time and its
    // counts. Takes no simulated time. Must be called between two calls of sc_start().
    virtual void restart() = 0;
    // Checkpoints, between two calls of sc_start(). After halt() a core becomes quiescent when everything
    // under way has ended. save() needs a quiescent core and throws checkpoint::Error for anything that a
    // state cannot hold. load() puts a core on which nothing runs into the saved state, and switch_model()
    // lets a quiescent one go on with the other model that it was made with; both take no simulated time.
    // resume() ends halt().
    virtual bool quiescent() const { return false; }
    virtual checkpoint::CoreState save() const { throw checkpoint::Error("this core has no checkpoints"); }
    virtual void load(const checkpoint::CoreState&) {
        throw checkpoint::Error("this core has no checkpoints");
    }
    virtual void switch_model() { throw checkpoint::Error("this core has one model"); }
    virtual void resume() {}

    // Returns whether memories still have to answer an access of the core, perhaps one from before restart().
    virtual bool waits_for_memory() const = 0;
    // Returns the time up to which the core has been simulated. If it is ahead of the system's time, accesses
    // wait for it.
    virtual Time reached() const { return 0; }

    // Sets the observer of the GpSimd cores from the next cycle on; null: none.
    virtual void observe_gpsimd(GpsimdObserver*) {}
    // Gives the GpSimd cores to the debugger, which must outlive the core, from the next cycle on.
    virtual void debug_gpsimd(GpsimdDebugger&) {}
    // Sets the watch of the memories from the next cycle on, which must outlive the core; null: none.
    virtual void watch(MemoryWatch*) {}

    // Records a waveform of the cycles [first, last), including those in which the core rests; no scopes: the
    // default set. Throws std::runtime_error for an unknown scope or if the file cannot be made.
    virtual void record_wave(const std::string& path, std::span<const std::string> scopes,
                             std::uint64_t first, std::uint64_t last) = 0;
    // Ends a recording before its last cycle, if there is one. Returns why the file is not complete; empty:
    // it is.
    virtual std::string close_wave() = 0;
};

// The parts of the system that a core needs.
struct CoreSetup {
    const config::Core& config;
    addresses::CoreId id{};       // number of the core
    trace::Sink* sink = nullptr;  // may be null
    // Called when the core has an error, or has come to rest and every engine that was started has halted.
    std::function<void()> on_stop;
    perturb::Seed perturb{};
};

// Makes a core within the module under construction.
using CoreFactory = std::function<std::unique_ptr<Core>(const char* name, const CoreSetup& setup)>;

}  // namespace trnsim::tlm
