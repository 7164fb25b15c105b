// The state of the fast core between instructions, in the form of arch/checkpoint.
#include <algorithm>

#include "model/core/fast/fast_model.hpp"

namespace trnsim::tlm::core_fast {
namespace {

constexpr unsigned GpsimdScalars = 32, GpsimdVectors = 32;  // registers

}  // namespace

bool Sequencer::stands() const {
    return queue_.empty() && under_way_ == 0 && !failed_ &&
           (state_ == State::Idle || state_ == State::Wait || state_ == State::Halted);
}

void Sequencer::save(checkpoint::SequencerState& state) const {
    state.run = state_ == State::Idle     ? checkpoint::Run::Idle
                : state_ == State::Halted ? checkpoint::Run::Halted
                                          : checkpoint::Run::Running;
    state.pc = pc_;
    state.completed = completed_;
    state.registers = registers_.values();
}

void Sequencer::load(const checkpoint::SequencerState& state) {
    state_ = state.run == checkpoint::Run::Idle     ? State::Idle
             : state.run == checkpoint::Run::Halted ? State::Halted
                                                    : State::Fetch;
    pc_ = state.pc;
    completed_ = state.completed;
    registers_.set_all(state.registers);
}

void PrefetchBuffer::resume(std::uint64_t base, std::uint32_t at) {
    running_ = true;
    base_ = base;
    next_ = base + at;
}

void Registers::save(checkpoint::CoreState& state) const {
    for (unsigned e = 0; e < EngineCount; ++e) {
        state.sequencers[e].program = program_[e].base;
        state.sequencers[e].length = program_[e].length;
    }
    state.started = started_;
    state.stochastic = stochastic_;
    state.seed = seed_;
    state.numeric = {numeric_.engines, numeric_.engine, numeric_.opcode, numeric_.pc};
}

void Registers::load(const checkpoint::CoreState& state) {
    for (unsigned e = 0; e < EngineCount; ++e)
        program_[e] = {state.sequencers[e].program, state.sequencers[e].length};
    started_ = state.started;
    stochastic_ = state.stochastic;
    seed_ = state.seed;
    numeric_ = {state.numeric.engines, state.numeric.engine, state.numeric.opcode, state.numeric.pc};
}

bool Control::stands() const {
    return std::ranges::all_of(sequencers_, &Sequencer::stands) &&
           std::ranges::none_of(buffers_, &PrefetchBuffer::awaits_beats) && !bus_writer_.busy() &&
           !own_.busy() && !loader_.busy() && !gpsimd_window_.busy() && !registers_.stopped();
}

void Control::save(checkpoint::CoreState& state) const {
    for (unsigned e = 0; e < EngineCount; ++e) sequencers_[e].save(state.sequencers[e]);
    registers_.save(state);
    state.semaphores = semaphores_.values();
    state.events = events_;
}

void Control::load(const checkpoint::CoreState& state) {
    for (unsigned e = 0; e < EngineCount; ++e) {
        const checkpoint::SequencerState& sequencer = state.sequencers[e];
        sequencers_[e].load(sequencer);
        if (sequencer.run == checkpoint::Run::Running) buffers_[e].resume(sequencer.program, sequencer.pc);
    }
    registers_.load(state);
    semaphores_.set_all(state.semaphores);
    events_ = state.events;
    nan_ = nan_known_ = state.numeric.engines;
}

void TensorDecoder::load(const checkpoint::CoreState& state) {
    for (unsigned t = 0; t < TensorStreams; ++t) low_[t] = state.stationaries[t].low;
}

void GpsimdCore::save(checkpoint::GpsimdCoreState& state) {
    state.runs = run_;
    state.pc = run_ ? pc_ : 0;
    for (unsigned i = 0; i < GpsimdScalars; ++i) {
        state.scalars[i] = hart_->x(i);
        state.scalars[GpsimdScalars + i] = hart_->f(i);
    }
    for (unsigned i = 0; i < GpsimdVectors; ++i) {
        const auto bytes = hart_->v(i);
        state.vectors.insert(state.vectors.end(), bytes.begin(), bytes.end());
    }
    tell_edges();
    for (std::size_t i = 0; i < checkpoint::GpsimdCsrs.size(); ++i)
        state.csrs[i] = hart_->csr(checkpoint::GpsimdCsrs[i]);
    state.memory.assign(hart_->tcm().begin(), hart_->tcm().end());
}

void GpsimdCore::load(const checkpoint::GpsimdCoreState& state) {
    write_tcm(0, state.memory);
    for (unsigned i = 0; i < GpsimdScalars; ++i) {
        hart_->set_x(i, state.scalars[i]);
        hart_->set_f(i, state.scalars[GpsimdScalars + i]);
    }
    for (unsigned i = 0; i < GpsimdVectors; ++i)
        hart_->set_v(i, std::span(state.vectors).subspan(std::size_t{i} * register_bytes_, register_bytes_));
    for (unsigned left = state.runs ? checkpoint::GpsimdStartEdges : 0; left != 0 && !waiting_; --left)
        edge({.run = true, .boot = state.pc});
    if (state.runs && !waiting_) throw checkpoint::Error(checkpoint::GpsimdDoesNotWait);
    tell_edges();
    for (std::size_t i = 0; i < checkpoint::GpsimdCsrs.size(); ++i)
        hart_->set_csr(checkpoint::GpsimdCsrs[i], state.csrs[i]);
    counters_ = {};
}

void GpsimdDispatch::save(checkpoint::GpsimdState& state) const {
    state.request = request_;
    state.trapped = trapped_;
}

void GpsimdDispatch::load(const checkpoint::GpsimdState& state) {
    request_ = state.request;
    trapped_ = state.trapped;
    for (unsigned k = 0; k < state.cores.size(); ++k) run_ |= std::uint32_t{state.cores[k].runs} << k;
}

void GpsimdEngine::save(checkpoint::GpsimdState& state) const {
    dispatch_.save(state);
    state.cores.resize(cores());
    for (unsigned k = 0; k < cores(); ++k) cores_[k]->save(state.cores[k]);
}

void GpsimdEngine::load(const checkpoint::GpsimdState& state) {
    dispatch_.load(state);
    for (unsigned k = 0; k < cores(); ++k) cores_[k]->load(state.cores[k]);
    sample();
}

bool FastModel::quiescent() const {
    if (!state_->control.stands() || !state_->gpsimd.rests()) return false;
    for (unsigned e = 0; e < slots_.size(); ++e) {
        if (busy(e) || slots_[e].passing() || slots_[e].seed) return false;
    }
    return true;
}

checkpoint::CoreState FastModel::save() const {
    checkpoint::CoreState state;
    state_->control.save(state);
    functional_->save(state);
    state_->gpsimd.save(state.gpsimd);
    return state;
}

void FastModel::load(const checkpoint::CoreState& state) {
    start_again();
    functional_->load(state);
    state_->control.load(state);
    state_->decoder.load(state);
    state_->gpsimd.load(state.gpsimd);
    state_->gpsimd_seen = see_gpsimd();
    state_->tensor.set_tiles(state.row_tile, state.column_tile);
    fresh_ = false;
    state_->control.drive(out, engines());
    out.bus_tick = bus_.tick();
    out.idle = false;
}

}  // namespace trnsim::tlm::core_fast
