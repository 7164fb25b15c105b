// Holds the verilated GpSimd cores for a debugger.
//
// A core is held by taking back run_i, which lets what it has begun come to its end, and goes on by a start at its next
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

// What starts a core, and lets it run.
struct GpsimdRun {
    bool run = false;
    std::uint32_t boot = 0;
};

class GpsimdHold final : public GpsimdDebugPort {
  public:
    // They must outlive it, and so must the models and views of the cores that are added. The cores stop first of all.
    GpsimdHold(GpsimdDebugger& debugger, CoreModel& neuron_core)
        : debugger_(debugger), neuron_core_(neuron_core) {}
    void add(Vgpsimd_core& model, GpsimdModelView& view) { cores_.push_back({&model, &view}); }

    // What enters the core at the next edge, of what the engine gives.
    GpsimdRun enter(unsigned core, const GpsimdRun& given);
    // Whether the engine is to take the core for one at work.
    bool holds(unsigned core) const { return cores_[core].held; }
    void executed(unsigned core, const GpsimdCycle& cycle);
    bool watches() const { return debugger_.watches(); }

    // Between two cycles: lets the debugger work if the cores are to stand, and do.
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
        bool runs = false;     // as the engine has it
        bool to_hold = false;  // it is to stand
        bool held = false;     // and run_i is down therefore
        bool checks = false;   // there was a breakpoint ahead of it, perhaps behind a branch that is taken
        bool fresh = false;    // it has begun nothing since it was held
        bool steps = false;    // it is to stand after what it begins next; one that does not run, before it
        bool trapping = false;
        std::optional<std::uint32_t> pc{};    // where it is to go on
        std::optional<GpsimdStop> stop{};     // which the debugger does not know yet; a breakpoint is none
        std::optional<std::uint32_t> told{};  // it goes on from here whether there is a breakpoint or not
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
    GpsimdDebugger::Resume resume_{};  // of the last stop
    unsigned cycles_ = 0;
};

}  // namespace trnsim::tlm
