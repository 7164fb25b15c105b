// The GpSimd cores (rtl/gpsimd/gpsimd_core.sv) as verilated models beside the NeuronCore's, one for each
// core.
//
// At an edge of the GpSimd clock the NeuronCore's model hands over the inputs of the cores (gpsimd_cores.sv),
// and they work on the edge before it goes on: with several threads, some of them in a thread of their own. A
// core to which the RTL's clock gate gives no edge is not evaluated.
#pragma once

#include <verilated.h>
#include <verilated_fst_c.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "Vgpsimd_core.h"
#include "arch/checkpoint/core_state.hpp"
#include "model/core/gpsimd.hpp"
#include "model/core/rtl/gpsimd_hold.hpp"
#include "model/core/rtl/gpsimd_view.hpp"
#include "model/core/rtl/step_thread.hpp"

namespace trnsim::tlm {

class GpsimdCores {
  public:
    // The inputs of a core at an edge. Rows of words are handed over separately.
    struct Inputs {
        bool run = false, irq = false, window_req = false, window_write = false;
        bool read_ready = false, read_rvalid = false, write_ready = false;
        std::uint32_t boot = 0, window_beat = 0;
    };
    // `scope`: the first part of the names of their signals, levels separated by spaces; followed by "core0",
    // ...
    GpsimdCores(VerilatedContext& context, const std::string& scope, unsigned cores, unsigned threads);

    unsigned size() const { return static_cast<unsigned>(cores_.size()); }

    // One exists during each evaluation of the NeuronCore's model, which calls the functions below.
    class Use {
      public:
        explicit Use(GpsimdCores& cores) { used = &cores; }
        ~Use() { used = nullptr; }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
    };

    void trace(VerilatedFstC& wave, int levels);  // `wave` is not open yet
    void final();
    GpsimdCoreCounters counters(unsigned core) const;
    // Sets the observer; it is called in the order of the cores, whatever the threads; null: none.
    void observe(GpsimdObserver* observer);
    // The NeuronCore's model must outlive the cores. They first stop for the debugger.
    void debug(GpsimdDebugger& debugger, CoreModel& neuron_core);
    // Called between two cycles of the NeuronCore.
    void serve_debugger() {
        if (hold_) serve();
    }
    // True if no core has anything to do.
    bool rests() const;
    // Save and load: save() while the cores rest, load() into cores that have not had an edge since reset.
    // load() throws checkpoint::Error if a core does not wait at the state's place.
    void save(std::vector<checkpoint::GpsimdCoreState>& states) const;
    void load(const std::vector<checkpoint::GpsimdCoreState>& states);

    // Returns the tightly coupled memory of a core, for debug transport; empty: there is no such core.
    std::span<std::uint8_t> memory(unsigned core);

    // These are declared in gpsimd_cores.sv and work on the cores in use, which it remembers at reset.
    static GpsimdCores& in_use() { return *used; }
    void reset();
    void enter(unsigned core, const Inputs& inputs);
    std::uint32_t edge();
    Vgpsimd_core& model(unsigned core) const { return *cores_[core].model; }
    bool holds(unsigned core) const { return hold_ && hold_->holds(core); }

  private:
    struct Core {
        std::unique_ptr<const std::string> scopes;  // of the model in waves
        std::unique_ptr<Vgpsimd_core> model;
        std::unique_ptr<GpsimdModelView> view;
        std::uint64_t edges = 0;
        bool stepped = false;
    };

    static void load(const checkpoint::GpsimdCoreState& state, Core& core);
    void step(std::size_t first, std::size_t end);
    void report(unsigned core);
    void serve();
    void set_observed();

    static thread_local GpsimdCores* used;

    VerilatedContext& context_;
    std::vector<Core> cores_;
    std::vector<unsigned> entered_;  // cores with inputs at this edge
    std::size_t beside_ = 0;         // number of these in the other thread
    unsigned threads_;
    GpsimdObserver* observer_ = nullptr;
    bool observed_ = false;             // by the observer or for the debugger
    std::unique_ptr<GpsimdHold> hold_;  // while there is a debugger
    bool fresh_ = false;                // nothing has happened since reset
    StepThread thread_;                 // last member: its step uses the others
};

}  // namespace trnsim::tlm
