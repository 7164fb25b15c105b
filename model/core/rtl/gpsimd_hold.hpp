// Holds the verilated GpSimd cores for a debugger.
//
// Taking back run_i holds a core: the work that it has begun ends first. It goes on with a start at its next
// instruction. The engine sees a core that runs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "Vgpsimd_core.h"
#include "model/core/core_model.hpp"
#include "model/core/gpsimd_debug.hpp"
#include "model/core/rtl/gpsimd_view.hpp"

namespace trnsim::tlm {

// The inputs that start a core and let it run.
struct GpsimdRun {
    bool run = false;
    std::uint32_t boot = 0;
};

class GpsimdHold final : public GpsimdDebugPort {
  public:
    // The debugger and the core must outlive this object, and so must the models and views of the cores that
    // are added. The cores stop at first.
    GpsimdHold(GpsimdDebugger& debugger, CoreModel& neuron_core)
        : debugger_(debugger), neuron_core_(neuron_core) {}
    void add(Vgpsimd_core& model, GpsimdModelView& view) { cores_.push_back({&model, &view}); }

    // Returns the inputs of the core at the next edge, from those that the engine gives.
    GpsimdRun enter(unsigned core, const GpsimdRun& given);
    // Returns whether the engine must regard the core as working.
    bool holds(unsigned core) const { return cores_[core].held; }
    void executed(unsigned core, const GpsimdCycle& cycle);
    bool watches() const { return debugger_.watches(); }

    // Called between two cycles: lets the debugger work if the cores must stop and all have stopped.
    void serve();

    unsigned cores() const override { return static_cast<unsigned>(cores_.size()); }
    GpsimdState state(unsigned core) const override;
    const GpsimdView& view(unsigned core) const override { return *cores_[core].view; }
    std::uint32_t pc(unsigned core) const override;
    bool set_pc(unsigned core, std::uint32_t pc) override;
    bool set_scalar(unsigned core, unsigned index, std::uint32_t value) override;
    bool set_vector(unsigned core, unsigned index, std::span<const std::uint8_t> bytes) override;
    bool set_csr(unsigned core, std::uint32_t number, std::uint32_t value) override;
    bool read(std::uint32_t offset, std::span<std::uint8_t> data) override {
        return neuron_core_.debug_read(offset, data);
    }
    bool write(std::uint32_t offset, std::span<const std::uint8_t> data) override {
        return neuron_core_.debug_write(offset, data);
    }

  private:
    struct Core {
        Vgpsimd_core* model;
        GpsimdModelView* view;
        bool runs = false;     // the engine's view
        bool to_hold = false;  // it must stop
        bool held = false;     // it has stopped: run_i is down
        bool checks = false;   // a breakpoint was ahead of it, perhaps after a branch that is taken
        bool fresh = false;    // it has begun nothing since it was held
        bool steps = false;    // it must stop after its next instruction; if it does not run, before it
        bool trapping = false;
        std::optional<std::uint32_t> pc{};    // address at which it must go on
        std::optional<GpsimdStop> stop{};     // not reported to the debugger yet; a breakpoint is none
        std::optional<std::uint32_t> told{};  // it goes on from here even with a breakpoint
    };

    void look(unsigned core);
    void stop();  // all cores
    void stop(const GpsimdStop& stop);
    std::optional<GpsimdStop> next_stop();
    void tell(const GpsimdStop& stop);
    bool stands(const Core& core) const;

    GpsimdDebugger& debugger_;
    CoreModel& neuron_core_;
    std::vector<Core> cores_;
    bool stopping_ = true, asked_ = true;
    GpsimdDebugger::Resume resume_{};  // answers to the last stop
    unsigned cycles_ = 0;
};

}  // namespace trnsim::tlm
