// A NeuronCore in the SystemC system, however it is modelled. model/core/rtl has the verilated one.
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

class Core : public sc_core::sc_module {
  public:
    explicit Core(const sc_core::sc_module_name& name) : sc_module(name) {}

    // The core window; addresses are offsets. Its back door is that of SBUF and PSUM.
    virtual protocol::TargetPort& window_port() = 0;
    // The core's own accesses: instruction fetches and writes, and reads of activation tables.
    virtual protocol::InitiatorPort& manager_port() = 0;
    virtual protocol::InitiatorPort& table_port() = 0;

    virtual CoreInfo info() const { return {}; }
    virtual bool error() const = 0;
    virtual bool done() const = 0;    // at rest, at least one engine halted, the others never started
    virtual bool unused() const = 0;  // at rest, no engine was ever started
    virtual std::uint64_t progress() const = 0;  // grows with what the core does
    virtual std::string state() const = 0;       // what the engines do, one line that does not name the core
    virtual CoreStatistics statistics() const = 0;

    // Before restart(): engines get no further instruction, which lets the core become quiet.
    virtual void halt() = 0;
    virtual bool quiet() const = 0;  // no engine is at work, no access to the window under way
    // Makes a quiet core what it was when built, but for the contents of SBUF and PSUM, its time and what it
    // has counted. Takes no simulated time. To be called between two calls of sc_start().
    virtual void restart() = 0;
    // Checkpoints, between two calls of sc_start(). After halt() a core becomes quiescent in time, as what is under way ends; save() is
    // of a quiescent core and throws checkpoint::Error for what no state has. load() makes a core on which nothing runs what the state
    // says, and switch_model() lets a quiescent one go on with the other model that it was made with; both take no simulated time.
    // resume() ends halt().
    virtual bool quiescent() const { return false; }
    virtual checkpoint::CoreState save() const { throw checkpoint::Error("this core has no checkpoints"); }
    virtual void load(const checkpoint::CoreState&) {
        throw checkpoint::Error("this core has no checkpoints");
    }
    virtual void switch_model() { throw checkpoint::Error("this core has one model"); }
    virtual void resume() {}

    // Whether memories still have to answer an access of the core, perhaps one of before restart().
    virtual bool waits_for_memory() const = 0;
    // The time up to which the core has been simulated. Where it is ahead of the system's, accesses wait for it.
    virtual Time reached() const { return 0; }

    // Whom the GpSimd cores tell what happens in them, from the next cycle on; null: nobody.
    virtual void observe_gpsimd(GpsimdObserver*) {}
    // The debugger, which must outlive the core, has the GpSimd cores from the next cycle on.
    virtual void debug_gpsimd(GpsimdDebugger&) {}

    // Waveform of the cycles [first, last), also of those in which the core rests; no scopes: the default
    // set. Throws std::runtime_error for an unknown scope and when the file cannot be made.
    virtual void record_wave(const std::string& path, std::span<const std::string> scopes,
                             std::uint64_t first, std::uint64_t last) = 0;
    // Ends a recording before its last cycle, if there is one. Returns why the file is not whole; empty: it
    // is.
    virtual std::string close_wave() = 0;
};

// What a core needs of the system around it.
struct CoreSetup {
    const config::Core& config;
    addresses::CoreId id{};       // which core it is
    trace::Sink* sink = nullptr;  // may be null
    // Called when the core has an error or has come to rest with every engine that was started halted.
    std::function<void()> on_stop;
    perturb::Seed perturb{};
};

// Makes a core within the module under construction.
using CoreFactory = std::function<std::unique_ptr<Core>(const char* name, const CoreSetup& setup)>;

}  // namespace trnsim::tlm
