#include "tlm/core/rtl/gpsimd_hold.hpp"

#include <algorithm>
#include <utility>

namespace trnsim::tlm {
namespace {

constexpr unsigned CyclesPerQuestion = 1024;  // whether the debugger asks to stop
constexpr std::uint32_t Mcause = 0x342, McauseInterrupt = 1U << 31;

}  // namespace

GpsimdRun GpsimdHold::enter(unsigned core, const GpsimdRun& given) {
    Core& c = cores_[core];
    c.runs = given.run;
    if (!given.run) {
        c.held = c.checks = c.fresh = c.steps = c.trapping = false;
        c.pc.reset();
        return given;
    }
    if (c.model->run_i == 0 && !c.held) return given;  // starts
    if (!c.held) look(core);
    if (c.to_hold && (c.held || c.model->waiting_o == 0)) {
        c.held = true;
        return {};
    }
    if (!std::exchange(c.held, false)) return given;
    c.fresh = true;
    return {true, std::exchange(c.pc, {}).value_or(c.view->next_pc())};
}

// What the last edge has brought.
void GpsimdHold::look(unsigned core) {
    Core& c = cores_[core];
    if (c.fresh && c.view->executes()) {
        c.fresh = false;
        if (std::exchange(c.steps, false)) stop({.reason = GpsimdReason::Step, .core = core});
    }
    if (std::exchange(c.trapping, c.model->trapped_o != 0) && (*c.view->csr(Mcause) & McauseInterrupt) == 0)
        stop({.reason = GpsimdReason::Trap, .core = core});
    if (c.fresh || c.to_hold) return;
    const auto next = c.view->fetched();
    c.checks = c.to_hold = next && debugger_.breaks(core, *next);
}

void GpsimdHold::executed(unsigned core, const GpsimdCycle& cycle) {
    if (cycle.access && debugger_.watches(cycle))
        stop({.reason = GpsimdReason::Access, .core = core, .cycle = cycle});
}

void GpsimdHold::stop(GpsimdStop stop) {
    if (!stop_) stop_ = stop;
    for (Core& core : cores_) core.to_hold = true;
}

bool GpsimdHold::stands(const Core& core) const {
    if (!core.runs) return true;
    return core.held ? core.model->run_i == 0 && core.model->halted_o != 0 : core.model->waiting_o != 0;
}

void GpsimdHold::serve() {
    for (unsigned k = 0; k < cores(); ++k) {
        Core& core = cores_[k];
        if (!core.checks || !core.held || !stands(core)) continue;
        core.checks = false;
        if (debugger_.breaks(k, pc(k))) {
            stop({.reason = GpsimdReason::Breakpoint, .core = k});
        } else {
            core.to_hold = stop_.has_value();
        }
    }
    if (!stop_ && ++cycles_ % CyclesPerQuestion == 0 && debugger_.asks_to_stop()) stop({});
    if (!stop_ || !std::ranges::all_of(cores_, [this](const Core& core) { return stands(core); })) return;
    const auto resume = debugger_.stopped(*this, *std::exchange(stop_, std::nullopt));
    for (unsigned k = 0; k < cores(); ++k) {
        Core& core = cores_[k];
        core.to_hold = resume.at(k) == GpsimdResume::Stay;
        core.steps = resume.at(k) == GpsimdResume::Step && core.held;
    }
}

GpsimdState GpsimdHold::state(unsigned core) const {
    const Core& c = cores_[core];
    return !c.runs ? GpsimdState::Halted : c.held ? GpsimdState::Stopped : GpsimdState::Sleeping;
}

std::uint32_t GpsimdHold::pc(unsigned core) const {
    const Core& c = cores_[core];
    return state(core) == GpsimdState::Sleeping ? c.model->pc_o : c.pc.value_or(c.view->next_pc());
}

bool GpsimdHold::set_pc(unsigned core, std::uint32_t pc) {
    if (state(core) != GpsimdState::Stopped || pc % 4 != 0) return false;
    cores_[core].pc = pc;
    return true;
}

bool GpsimdHold::set_scalar(unsigned core, unsigned index, std::uint32_t value) {
    return cores_[core].view->set_scalar(index, value);
}

bool GpsimdHold::set_vector(unsigned core, unsigned index, std::span<const std::uint8_t> bytes) {
    return cores_[core].view->set_vector(index, bytes);
}

bool GpsimdHold::set_csr(unsigned core, std::uint32_t number, std::uint32_t value) {
    return cores_[core].view->set_csr(number, value);
}

}  // namespace trnsim::tlm
