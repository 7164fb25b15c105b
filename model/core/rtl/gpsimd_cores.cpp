#include "model/core/rtl/gpsimd_cores.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "Vgpsimd_core___024root.h"
#include "Vneuron_core__Dpi.h"
#include "cfg_parameters.hpp"
#include "model/core/rtl/wave_scopes.hpp"

namespace trnsim::tlm {

// The model must be one for cores of this configuration (cmake/gpsimd_vlen.py).
static_assert(
    8 * sizeof(Vgpsimd_core___024root::gpsimd_core__DOT__u_vector__DOT__u_registers__DOT__registers_q) ==
    std::size_t{32} * cfg::GpsimdVlen);

thread_local GpsimdCores* GpsimdCores::used = nullptr;

GpsimdCores::GpsimdCores(VerilatedContext& context, const std::string& scope, unsigned cores,
                         unsigned threads)
    : context_(context), threads_(threads), thread_(threads, [this] { step(0, beside_); }) {
    for (unsigned k = 0; k < cores; ++k) {
        auto scopes = std::make_unique<const std::string>(scope + " core" + std::to_string(k));
        auto model = make_within<Vgpsimd_core>(*scopes, context);
        model->hart_id_i = k;
        auto view = std::make_unique<GpsimdModelView>(*model);
        cores_.push_back({std::move(scopes), std::move(model), std::move(view)});
    }
    entered_.reserve(cores);
    reset();
}

void GpsimdCores::trace(VerilatedFstC& wave, int levels) {
    for (const Core& core : cores_) trace_within(*core.scopes, *core.model, wave, levels);
}

void GpsimdCores::final() {
    for (const Core& core : cores_) core.model->final();
}

GpsimdCoreCounters GpsimdCores::counters(unsigned core) const {
    GpsimdCoreCounters counters{cores_[core].edges, {}};
    const auto& cycles = cores_[core].model->rootp->gpsimd_core__DOT__u_observer__DOT__cycles_q;
    std::copy_n(&cycles[0], counters.in_class.size(), counters.in_class.begin());
    return counters;
}

void GpsimdCores::observe(GpsimdObserver* observer) {
    observer_ = observer;
    set_observed();
}

void GpsimdCores::debug(GpsimdDebugger& debugger, CoreModel& neuron_core) {
    hold_ = std::make_unique<GpsimdHold>(debugger, neuron_core);
    for (const Core& core : cores_) hold_->add(*core.model, *core.view);
}

void GpsimdCores::serve() {
    hold_->serve();
    set_observed();
}

void GpsimdCores::set_observed() {
    const bool observed = observer_ != nullptr || (hold_ && hold_->watches());
    if (std::exchange(observed_, observed) == observed) return;
    for (const Core& core : cores_) core.model->rootp->gpsimd_core__DOT__u_observer__DOT__observed = observed;
}

bool GpsimdCores::rests() const {
    return std::ranges::all_of(cores_, [](const Core& core) { return core.model->awake_o == 0; });
}

void GpsimdCores::save(std::vector<checkpoint::GpsimdCoreState>& states) const {
    for (const Core& core : cores_) {
        checkpoint::GpsimdCoreState& state = states.emplace_back();
        const GpsimdModelView& view = *core.view;
        state.runs = core.model->run_i != 0;
        state.pc = state.runs ? core.model->pc_o : 0;
        for (unsigned i = 0; i < state.scalars.size(); ++i) state.scalars[i] = view.scalar(i);
        for (unsigned i = 0; i < GpsimdModelView::VectorRegisters; ++i) {
            const auto bytes = view.vector(i);
            state.vectors.insert(state.vectors.end(), bytes.begin(), bytes.end());
        }
        for (std::size_t i = 0; i < state.csrs.size(); ++i)
            state.csrs[i] = view.csr(checkpoint::GpsimdCsrs[i]).value();
        state.memory.assign(view.memory().begin(), view.memory().end());
    }
}

void GpsimdCores::load(const std::vector<checkpoint::GpsimdCoreState>& states) {
    Verilated::threadContextp(&context_);
    reset();
    fresh_ = false;
    for (std::size_t k = 0; k < cores_.size(); ++k) load(states[k], cores_[k]);
}

// Loads a state. A core that runs goes to its wfi, so that its registers are as they are there.
void GpsimdCores::load(const checkpoint::GpsimdCoreState& state, Core& core) {
    Vgpsimd_core& model = *core.model;
    auto& memory = model.rootp->gpsimd_core__DOT__u_tcm__DOT__mem_q;
    std::memcpy(&memory[0], state.memory.data(), sizeof memory);
    for (unsigned i = 0; i < state.scalars.size(); ++i) core.view->set_scalar(i, state.scalars[i]);
    const std::size_t bytes = state.vectors.size() / GpsimdModelView::VectorRegisters;
    for (unsigned i = 0; i < GpsimdModelView::VectorRegisters; ++i)
        core.view->set_vector(i, std::span(state.vectors).subspan(i * bytes, bytes));
    const auto load_csrs = [&] {
        for (std::size_t i = 0; i < state.csrs.size(); ++i)
            core.view->load_csr(checkpoint::GpsimdCsrs[i], state.csrs[i]);
    };
    load_csrs();
    model.run_i = state.runs;
    model.boot_i = state.pc;
    for (unsigned left = state.runs ? checkpoint::GpsimdStartEdges : 0; left != 0 && model.waiting_o == 0;
         --left) {
        model.clk_i = 0;
        model.eval();
        model.clk_i = 1;
        model.eval();
    }
    if (state.runs && model.waiting_o == 0) throw checkpoint::Error(checkpoint::GpsimdDoesNotWait);
    load_csrs();  // counters have advanced
    auto& cycles = model.rootp->gpsimd_core__DOT__u_observer__DOT__cycles_q;
    std::memset(&cycles[0], 0, sizeof cycles);
    core.edges = 0;
}

std::span<std::uint8_t> GpsimdCores::memory(unsigned core) {
    if (core >= cores_.size()) return {};
    auto& beats = cores_[core].model->rootp->gpsimd_core__DOT__u_tcm__DOT__mem_q;
    return {reinterpret_cast<std::uint8_t*>(&beats[0]), sizeof beats};
}

void GpsimdCores::reset() {
    if (fresh_) return;
    fresh_ = true;
    for (Core& core : cores_) {
        core.edges = 0;
        Vgpsimd_core& model = *core.model;
        model.run_i = model.irq_i = model.window_req_i = 0;
        model.rst_ni = 1;
        model.clk_i = 0;
        model.eval();
        model.rst_ni = 0;  // so that the reset has an edge
        model.eval();
        model.rst_ni = 1;
        model.eval();
    }
}

// Nothing happens in a core that does not work while its inputs stay the same.
void GpsimdCores::enter(unsigned core, const Inputs& inputs) {
    Vgpsimd_core& model = *cores_[core].model;
    GpsimdRun run{inputs.run, inputs.boot};
    if (hold_) run = hold_->enter(core, run);
    if (model.awake_o == 0 && !inputs.window_req && model.window_req_i == 0 && model.run_i == run.run &&
        model.irq_i == inputs.irq)
        return;
    model.run_i = run.run;
    model.boot_i = run.boot;
    model.irq_i = inputs.irq;
    model.window_req_i = inputs.window_req;
    model.window_write_i = inputs.window_write;
    model.window_beat_i = inputs.window_beat;
    model.read_ready_i = inputs.read_ready;
    model.read_rvalid_i = inputs.read_rvalid;
    model.write_ready_i = inputs.write_ready;
    entered_.push_back(core);
}

std::uint32_t GpsimdCores::edge() {
    if (entered_.empty()) return 0;
    fresh_ = false;
    beside_ = threads_ > 1 && !observed_ ? entered_.size() / 2 : 0;
    if (beside_ != 0) thread_.start();
    try {
        step(beside_, entered_.size());
    } catch (...) {
        thread_.finish();
        throw;
    }
    thread_.finish();
    std::uint32_t stepped = 0;
    for (const unsigned core : entered_) stepped |= std::uint32_t{cores_[core].stepped} << core;
    entered_.clear();
    return stepped;
}

void GpsimdCores::step(std::size_t first, std::size_t end) {
    Verilated::threadContextp(&context_);
    for (std::size_t k = first; k < end; ++k) {
        Core& core = cores_[entered_[k]];
        core.model->clk_i = 0;
        core.model->eval();
        core.stepped = core.model->active_o != 0;
        if (!core.stepped) continue;
        core.model->clk_i = 1;
        core.model->eval();
        ++core.edges;
        if (observed_) report(entered_[k]);
    }
}

void GpsimdCores::report(unsigned core) {
    const GpsimdEvents events = take_events();
    if (hold_) hold_->executed(core, events.cycle);
    if (observer_ == nullptr) return;
    if (events.start) observer_->start(core, *cores_[core].view);
    observer_->cycle(core, events.cycle, *cores_[core].view);
}

}  // namespace trnsim::tlm

using trnsim::tlm::GpsimdCores;

namespace {

GpsimdCores& cores_of(void* cores) {
    return *static_cast<GpsimdCores*>(cores);
}
bool bit_of(unsigned pins, unsigned place) {
    return (pins >> place & 1) != 0;
}

}  // namespace

extern "C" {

void* trnsim_gpsimd_reset() {
    GpsimdCores& cores = GpsimdCores::in_use();
    cores.reset();
    return &cores;
}
void trnsim_gpsimd_window_data(void* cores, unsigned core, const svBitVecVal* data,
                               unsigned long long strobe) {
    Vgpsimd_core& model = cores_of(cores).model(core);
    std::copy_n(data, sizeof model.window_wdata_i / sizeof *data, &model.window_wdata_i[0]);
    model.window_strobe_i = strobe;
}
void trnsim_gpsimd_slice_data(void* cores, unsigned core, const svBitVecVal* data) {
    Vgpsimd_core& model = cores_of(cores).model(core);
    std::copy_n(data, sizeof model.read_rdata_i / sizeof *data, &model.read_rdata_i[0]);
}
void trnsim_gpsimd_enter(void* cores, unsigned core, unsigned entering, unsigned boot, unsigned window_beat) {
    cores_of(cores).enter(core, {.run = bit_of(entering, 6),
                                 .irq = bit_of(entering, 5),
                                 .window_req = bit_of(entering, 4),
                                 .window_write = bit_of(entering, 3),
                                 .read_ready = bit_of(entering, 2),
                                 .read_rvalid = bit_of(entering, 1),
                                 .write_ready = bit_of(entering, 0),
                                 .boot = boot,
                                 .window_beat = window_beat});
}
unsigned trnsim_gpsimd_edge(void* cores) {
    return cores_of(cores).edge();
}
unsigned trnsim_gpsimd_leave(void* cores, unsigned core, unsigned* pc, unsigned* read_beat,
                             unsigned* write_beat) {
    const Vgpsimd_core& model = cores_of(cores).model(core);
    const unsigned held = cores_of(cores).holds(core) ? 1 : 0;
    *pc = model.pc_o;
    *read_beat = model.read_beat_o;
    *write_beat = model.write_beat_o;
    return (model.awake_o | held) << 7 | (model.halted_o & ~held) << 6 | (model.waiting_o & ~held) << 5 |
           unsigned{model.trapped_o} << 4 | unsigned{model.window_gnt_o} << 3 |
           unsigned{model.window_rvalid_o} << 2 | unsigned{model.read_valid_o} << 1 | model.write_valid_o;
}
void trnsim_gpsimd_window_result(void* cores, unsigned core, svBitVecVal* data) {
    const Vgpsimd_core& model = cores_of(cores).model(core);
    std::copy_n(&model.window_rdata_o[0], sizeof model.window_rdata_o / sizeof *data, data);
}
void trnsim_gpsimd_slice_write(void* cores, unsigned core, svBitVecVal* data, unsigned long long* strobe) {
    const Vgpsimd_core& model = cores_of(cores).model(core);
    std::copy_n(&model.write_wdata_o[0], sizeof model.write_wdata_o / sizeof *data, data);
    *strobe = model.write_strobe_o;
}
}
