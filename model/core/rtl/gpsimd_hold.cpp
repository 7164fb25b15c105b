#include "model/core/rtl/gpsimd_hold.hpp"

#include <algorithm>
#include <utility>

namespace trnsim::tlm {
namespace {

constexpr unsigned CyclesPerQuestion = 1024;  // cycles between questions whether the debugger asks to stop
constexpr std::uint32_t Mcause = 0x342, McauseInterrupt = 1U << 31;

}  // namespace

GpsimdRun GpsimdHold::enter(unsigned core, const GpsimdRun& given) {
    Core& c = cores_[core];
    c.runs = given.run;
    if (!given.run) {
        c.held = c.checks = c.fresh = c.trapping = false;
        c.to_hold |= c.steps;  // before its first instruction
        c.pc.reset();
        c.told.reset();
        return given;
    }
    if (c.model->run_i == 0 && !c.held) return given;  // it starts
    if (!c.held) look(core);
    if (c.to_hold && (c.held || c.model->waiting_o == 0)) {
        const bool comes = !std::exchange(c.held, true) && !c.fresh;
        if (comes && std::exchange(c.steps, false)) stop({.reason = GpsimdReason::Step, .core = core});
        return {};
    }
    if (!std::exchange(c.held, false)) return given;
    c.fresh = true;
    return {true, std::exchange(c.pc, {}).value_or(c.view->next_pc())};
}

// Evaluates the last edge.
void GpsimdHold::look(unsigned core) {
    Core& c = cores_[core];
    if (c.fresh && c.view->executes()) {
        c.fresh = false;
        c.told.reset();
        if (std::exchange(c.steps, false)) stop({.reason = GpsimdReason::Step, .core = core});
    }
    if (std::exchange(c.trapping, c.model->trapped_o != 0) && (*c.view->csr(Mcause) & McauseInterrupt) == 0)
        stop({.reason = GpsimdReason::Trap, .core = core});
    if (c.fresh || c.to_hold) return;
    const auto next = c.view->fetched();
    c.checks = c.to_hold = next && debugger_.breaks(core, *next);
}

void GpsimdHold::executed(unsigned core, const GpsimdCycle& cycle) {
    if (!cycle.access) return;
    if (debugger_.watches(cycle)) stop({.reason = GpsimdReason::Access, .core = core, .cycle = cycle});
    if (!cycle.store_beside) return;
    GpsimdCycle other = cycle;
    other.access = std::exchange(other.store_beside, {});
    if (debugger_.watches(other)) stop({.reason = GpsimdReason::Access, .core = core, .cycle = other});
}

void GpsimdHold::stop() {
    stopping_ = true;
    for (Core& core : cores_) core.to_hold = true;
}

void GpsimdHold::stop(const GpsimdStop& stop) {
    std::optional<GpsimdStop>& own = cores_[stop.core].stop;
    if (!own) own = stop;
    this->stop();
}

bool GpsimdHold::stands(const Core& core) const {
    if (!core.runs) return true;
    return core.held ? core.model->run_i == 0 && core.model->halted_o != 0 : core.model->waiting_o != 0;
}

// Returns the stop of a core that must go on: several may have stopped in the same cycles.
std::optional<GpsimdStop> GpsimdHold::next_stop() {
    for (unsigned k = 0; k < cores(); ++k) {
        Core& core = cores_[k];
        if (resume_.at(k) == GpsimdResume::Stay) continue;
        const auto stop = std::exchange(core.stop, {});
        if (stop && (stop->reason != GpsimdReason::Access || debugger_.watches(stop->cycle))) return stop;
        if (core.held && core.told != pc(k) && debugger_.breaks(k, pc(k)))
            return GpsimdStop{.reason = GpsimdReason::Breakpoint, .core = k};
    }
    return std::exchange(asked_, false) ? std::optional(GpsimdStop{}) : std::nullopt;
}

void GpsimdHold::tell(const GpsimdStop& stop) {
    asked_ = false;
    Core& stopped = cores_[stop.core];
    const bool at_instruction = stop.reason == GpsimdReason::Breakpoint || stop.reason == GpsimdReason::Step;
    if (at_instruction && stopped.held) stopped.told = pc(stop.core);
    resume_ = debugger_.stopped(*this, stop);
    for (unsigned k = 0; k < cores(); ++k) {
        Core& core = cores_[k];
        if (core.stop && core.stop->reason == GpsimdReason::Step) core.stop.reset();
        if (resume_.at(k) == GpsimdResume::Step && core.held) core.told = pc(k);
    }
}

void GpsimdHold::serve() {
    for (unsigned k = 0; k < cores(); ++k) {
        Core& core = cores_[k];
        if (!core.checks || !core.held || !stands(core)) continue;
        core.checks = false;
        core.to_hold = stopping_;
        if (debugger_.breaks(k, pc(k))) stop();
    }
    if (!stopping_ && ++cycles_ % CyclesPerQuestion == 0 && debugger_.asks_to_stop()) {
        asked_ = true;
        stop();
    }
    if (!stopping_ || !std::ranges::all_of(cores_, [this](const Core& core) { return stands(core); })) return;
    stopping_ = false;
    while (const auto stop = next_stop()) tell(*stop);
    for (unsigned k = 0; k < cores(); ++k) {
        Core& core = cores_[k];
        core.steps = resume_.at(k) == GpsimdResume::Step;
        core.to_hold = resume_.at(k) == GpsimdResume::Stay || (core.steps && !core.held);
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
