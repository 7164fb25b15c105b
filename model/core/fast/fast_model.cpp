#include "model/core/fast/fast_model.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "isa/core_window.hpp"

namespace trnsim::tlm::core_fast {
namespace {

constexpr unsigned Tensor = static_cast<unsigned>(isa::Engine::Tensor);
constexpr unsigned Vector = static_cast<unsigned>(isa::Engine::Vector);
constexpr unsigned Scalar = static_cast<unsigned>(isa::Engine::Scalar);
constexpr unsigned Gpsimd = static_cast<unsigned>(isa::Engine::Gpsimd);

Geometry geometry_of(const config::Core& core) {
    const auto lanes = static_cast<std::uint32_t>(core.partitions);
    return {lanes, isa::sbuf_partition_stride(lanes)};
}

}  // namespace

FastModel::State::State(const config::Core& core, const Geometry& geometry, Functional& functional)
    : control(core, functional),
      tensor(core),
      decoder(core, geometry),
      vector(core.vector, geometry.quadrant()),
      scalar(core.scalar),
      gpsimd(core, functional) {}

FastModel::FastModel(const config::Core& core, std::unique_ptr<Functional> functional)
    : core_(core),
      geometry_(geometry_of(core)),
      functional_(std::move(functional)),
      bus_(core.clock_ratio.bus),
      slots_{EngineSlot(core.clock_ratio.tensor), EngineSlot(core.clock_ratio.vector),
             EngineSlot(core.clock_ratio.scalar), EngineSlot(core.clock_ratio.gpsimd)} {
    reset();
    // Makes a cycle, as a core that comes out of its first reset does.
    in.reset_n = true;
    step();
}

// Resets. A reset lasts many cycles; the first one does the work.
void FastModel::reset() {
    if (!std::exchange(fresh_, true)) start_again();
    state_->control.drive(out, engines());
    for (EngineOut& engine : out.engine) engine.busy = false;
    out.bus_tick = bus_.tick();
    out.idle = !state_->control.active(in, engines());
}

void FastModel::start_again() {
    functional_->restart();
    const std::unique_ptr<State> before = std::move(state_);
    state_ = std::make_unique<State>(core_, geometry_, *functional_);
    state_->gpsimd_seen.cores = state_->gpsimd.cores();
    for (unsigned k = 0; before != nullptr && k < state_->gpsimd.cores(); ++k)
        state_->gpsimd.write_tcm(k, 0, before->gpsimd.tcm(k));
    for (EngineSlot& slot : slots_) {
        const ClockDivider clock = slot.clock;
        slot = EngineSlot(core_.clock_ratio.tensor);
        slot.clock = clock;
    }
    control_active_ = true;
    idle_known_ = false;
}

bool FastModel::busy(unsigned engine) const {
    switch (engine) {
        case Tensor:
            return state_->tensor.busy();
        case Vector:
            return state_->vector.busy();
        case Scalar:
            return state_->scalar.busy();
        case Gpsimd:
            return state_->gpsimd.busy();
        default:
            return false;
    }
}

// Returns whether the engine waits for its next edge.
bool FastModel::awake(unsigned engine) const {
    if (engine == Gpsimd && state_->gpsimd.wakes(state_->control.gpsimd_window().beat())) return true;
    return busy(engine) || slots_[engine].seed ||
           (state_->control.sequencer(engine).offers() && !slots_[engine].taken);
}

Control::Engines FastModel::engines() const {
    Control::Engines engines;
    for (unsigned e = 0; e < slots_.size(); ++e) {
        engines.taken[e] = slots_[e].taken;
        engines.done[e] = slots_[e].done != 0;
        engines.busy[e] = busy(e);
    }
    engines.tables_failed = state_->scalar.failed();
    engines.tables = state_->scalar.table_load();
    engines.counters = &state_->seen;
    engines.memories = &state_->memories;
    engines.tcm_done = state_->gpsimd.answered();
    engines.tcm_data = &state_->gpsimd.answer();
    engines.gpsimd_fault = state_->gpsimd.fault();
    engines.gpsimd = &state_->gpsimd_seen;
    return engines;
}

bool FastModel::inputs_wait() const {
    for (std::uint64_t p = 0; p < core_.bus.ports; ++p)
        if (in.port[p].aw_valid || in.port[p].w_valid || in.port[p].ar_valid) return true;
    return in.manager.r_valid || in.manager.b_valid || in.table.r_valid || out.manager.ar_valid ||
           out.manager.aw_valid || out.manager.w_valid || out.table.ar_valid;
}

// The sequencers see the engines' state from before the edge, and engines the sequencers' offers from before
// it.
void FastModel::step() {
    fired_ = 0;
    if (!in.reset_n) {
        reset();
        return;
    }
    fresh_ = false;
    State& state = *state_;
    const bool bus_edge = bus_.tick();
    const Control::Engines before = bus_edge ? engines() : Control::Engines{};
    const GpsimdSeen gpsimd_seen =
        bus_edge && (state.gpsimd_seen.awake || awake(Gpsimd)) ? see_gpsimd() : state.gpsimd_seen;
    const EngineCounters counted = bus_edge ? state.counters : EngineCounters{};
    const bool seeds = bus_edge && state.control.registers().seeds();
    const bool clears = bus_edge && state.control.registers().clears_counters();
    const Ports<PortGrant> vector{state.sbuf_port.grant(0, state.vector_claims.sbuf),
                                  state.psum_port.grant(0, state.vector_claims.psum)};
    const Ports<PortGrant> scalar{{state.scalar_claims.sbuf.needs, false},
                                  state.psum_port.grant(1, state.scalar_claims.psum)};
    const PortClaim gpsimd_claim = state.gpsimd.claim();
    const PortGrant gpsimd = state.sbuf_port.grant(1, gpsimd_claim);
    state.sbuf_port.edge(state.vector_claims.sbuf, gpsimd_claim, (in.hold.port & 1) != 0);
    state.psum_port.edge(state.vector_claims.psum, state.scalar_claims.psum, (in.hold.port & 2) != 0);

    bool passing = false;
    for (unsigned e = 0; e < slots_.size(); ++e) {
        EngineSlot& slot = slots_[e];
        const bool offered = state.control.sequencer(e).offers() && !slot.taken;
        if (bus_edge) {
            slot.done -= slot.done != 0 ? 1 : 0;
            slot.taken = false;
        }
        const bool wakes = e == Gpsimd && state.gpsimd.wakes(state.control.gpsimd_window().beat());
        const bool fires = slot.clock.tick() && (offered || slot.seed || wakes || busy(e));
        fired_ |= std::uint32_t{fires} << e;
        if (fires && e == Gpsimd)
            edge_gpsimd(offered, gpsimd);
        else if (fires)
            edge_engine(e, offered, vector, scalar);
        slot.clock.advance();
        if (seeds && (e == Vector || e == Scalar)) slot.seed = true;
        passing = passing || slot.passing();
    }
    if (clears) state.counters = {};

    for (EngineOut& engine : out.engine) engine.issued = engine.completed = false;
    if (bus_edge) {
        const bool reported = std::ranges::any_of(before.done, std::identity{}) ||
                              std::ranges::any_of(before.taken, std::identity{});
        const bool tables = before.tables.requested || before.tables_failed || state.control.tables().done;
        const bool fault =
            before.gpsimd_fault.code != isa::Error::None && !state.control.registers().stopped();
        control_active_ = control_active_ || reported || tables || fault || inputs_wait();
        if (control_active_) {
            control_active_ = state.control.edge(in, before);
            if (control_active_) state.seen = counted;
            if (control_active_) state.gpsimd_seen = gpsimd_seen;
            state.control.drive(out, engines());
            idle_known_ = false;
        }
    }
    // An answer of GpSimd's memories reaches the waiting port at once.
    if (state.control.gpsimd_window().busy()) state.control.drive_ports(out, engines());
    bus_.advance();
    out.bus_tick = bus_.tick();
    sample(passing);
}

// Updates what changes with edges of the engines, and whether anything can still happen.
void FastModel::sample(bool passing) {
    const Control::Engines now = engines();
    bool asleep = !passing;
    for (unsigned e = 0; e < slots_.size(); ++e) {
        out.engine[e].busy = now.busy[e];
        const Sequencer& sequencer = state_->control.sequencer(e);
        if (sequencer.offers()) {
            Sequencer::In offering;
            offering.taken = now.taken[e];
            out.engine[e].state = static_cast<std::uint8_t>(sequencer.state(offering));
        }
        asleep = asleep && !awake(e);
    }
    if (!asleep) {
        idle_known_ = out.idle = false;
        return;
    }
    if (!idle_known_) out.idle = !state_->control.active(in, now);
    idle_known_ = true;
}

// Makes an edge of an engine's clock.
void FastModel::edge_engine(unsigned engine, bool offered, const Ports<PortGrant>& vector,
                            const Ports<PortGrant>& scalar) {
    EngineSlot& slot = slots_[engine];
    state_->counters.busy[engine] += busy(engine) ? 1 : 0;
    slot.seed = false;
    if (slot.quiet != 0 && !offered) {
        --slot.quiet;
        ++slot.skipped;
        if (slot.quiet == 0) make_up(engine);
        return;
    }
    make_up(engine);
    switch (engine) {
        case Tensor:
            edge_tensor(offered);
            break;
        case Vector:
            edge_vector(offered, vector);
            break;
        default:
            edge_scalar(offered, scalar);
            break;
    }
}

// Lets the time of the skipped edges pass.
void FastModel::make_up(unsigned engine) {
    const std::uint64_t cycles = std::exchange(slots_[engine].skipped, 0);
    slots_[engine].quiet = 0;
    if (cycles == 0) return;
    if (engine == Tensor) state_->tensor.skip(cycles);
    if (engine == Vector) {
        state_->vector.skip(cycles);
        state_->vector_claims = state_->vector.claims();
    }
    if (engine == Scalar) {
        state_->scalar.skip(cycles);
        state_->scalar_claims = state_->scalar.claims();
    }
}

const InstructionBytes* FastModel::accept(unsigned engine, bool accepted) {
    if (!accepted) return nullptr;
    slots_[engine].taken = true;
    slots_[engine].under_way.push_back(state_->control.sequencer(engine).head());
    return &state_->control.sequencer(engine).offered();
}

// Completes the oldest instruction of an engine.
void FastModel::complete(unsigned engine) {
    ++slots_[engine].done;
    const Origin origin = slots_[engine].under_way.front();
    slots_[engine].under_way.pop_front();
    const Effects effects = functional_->execute(static_cast<isa::Engine>(engine));
    MemoryCounts& counts = state_->memories;
    counts.unfounded += effects.unfounded;
    if (counts.unwritten == 0) {
        counts.unwritten_address = effects.unwritten_address;
        counts.unwritten_reader = engine;
    }
    counts.unwritten += effects.unwritten;
    if (effects.nan) state_->control.found_nan(engine, origin);
    if (effects.fault.code != isa::Error::None) state_->control.found_fault(engine, origin, effects.fault);
}

void FastModel::edge_tensor(bool offered) {
    TensorEngine& tensor = state_->tensor;
    if (tensor.done()) complete(Tensor);
    state_->counters.matmul += tensor.matmul() ? 1 : 0;
    const std::uint32_t columns = tensor.load_columns();
    if (columns != 0)
        ++(columns == figure(Figure::LoadColumns) ? state_->counters.fast_load
                                                  : state_->counters.normal_load);
    TensorCommand command;
    const InstructionBytes* bytes = accept(Tensor, offered && tensor.ready());
    if (bytes != nullptr) command = state_->decoder.next(*bytes);
    if (tensor.cycle(bytes != nullptr ? &command : nullptr)) ++state_->memories.moving_waits;
    slots_[Tensor].quiet = tensor.quiet();
}

void FastModel::edge_vector(bool offered, const Ports<PortGrant>& grant) {
    VectorEngine& vector = state_->vector;
    if (vector.done()) complete(Vector);
    const Ports<PortClaim>& claims = state_->vector_claims;
    if ((claims.psum.needs && !grant.psum.granted) || (claims.sbuf.needs && !grant.sbuf.granted))
        ++state_->memories.vector_waits;
    OperationPtr operation;
    if (const InstructionBytes* bytes = accept(Vector, offered && vector.ready()))
        operation = std::make_shared<const ElementOperation>(
            decode_vector(*bytes, geometry_, state_->control.registers().stochastic()));
    vector.cycle(std::move(operation), grant);
    state_->vector_claims = vector.claims();
    slots_[Vector].quiet = vector.quiet();
}

void FastModel::edge_scalar(bool offered, const Ports<PortGrant>& grant) {
    ScalarEngine& scalar = state_->scalar;
    if (scalar.done()) complete(Scalar);
    if (state_->scalar_claims.psum.needs && !grant.psum.granted) ++state_->memories.scalar_waits;
    OperationPtr operation;
    TableLoad load;
    const bool is_load = opcode_of(state_->control.sequencer(Scalar).offered()) == isa::Opcode::ActTableLoad;
    const InstructionBytes* bytes = accept(Scalar, offered && scalar.ready(is_load));
    if (bytes != nullptr && is_load)
        load = {true, get(*bytes, isa::field::TableAddress), get32(*bytes, isa::field::TableBeats)};
    else if (bytes != nullptr)
        operation = std::make_shared<const ElementOperation>(decode_scalar(*bytes, geometry_));
    scalar.cycle(std::move(operation), load.requested ? &load : nullptr, state_->control.tables(), grant);
    state_->scalar_claims = scalar.claims();
    slots_[Scalar].quiet = scalar.quiet();
}

void FastModel::edge_gpsimd(bool offered, const PortGrant& grant) {
    GpsimdEngine& gpsimd = state_->gpsimd;
    EngineSlot& slot = slots_[Gpsimd];
    state_->counters.busy[Gpsimd] += gpsimd.busy() ? 1 : 0;
    if (gpsimd.done()) {
        ++slot.done;
        slot.under_way.pop_front();
    }
    if (gpsimd.claim().needs && !grant.granted) ++state_->memories.gpsimd_waits;
    gpsimd.edge(accept(Gpsimd, offered && gpsimd.ready()), state_->control.gpsimd_window().beat(), grant);
}

GpsimdSeen FastModel::see_gpsimd() const {
    const GpsimdEngine& gpsimd = state_->gpsimd;
    GpsimdSeen seen{awake(Gpsimd), gpsimd.cores(), {}, {}};
    for (unsigned k = 0; k < seen.cores; ++k) {
        seen.pc[k] = gpsimd.pc(k);
        seen.state[k] = gpsimd.state(k);
    }
    return seen;
}

GpsimdCounters FastModel::gpsimd_counters() const {
    GpsimdCounters counters;
    for (unsigned k = 0; k < state_->gpsimd.cores(); ++k) counters[k] = state_->gpsimd.counters(k);
    return counters;
}

namespace {

// A place in the memory of a GpSimd core.
struct TcmPlace {
    unsigned core = 0;
    std::uint32_t offset = 0;
};
std::optional<TcmPlace> tcm_place(std::uint32_t offset, std::size_t size, unsigned cores) {
    namespace window = isa::window;
    if (offset < window::GpsimdTcmBase) return std::nullopt;
    const std::uint32_t within = offset - window::GpsimdTcmBase;
    const TcmPlace place{within / window::GpsimdTcmStride, within % window::GpsimdTcmStride};
    if (place.core >= cores || size > window::GpsimdTcmStride - place.offset) return std::nullopt;
    return place;
}

}  // namespace

bool FastModel::debug_read(std::uint32_t offset, std::span<std::uint8_t> data) {
    const auto place = tcm_place(offset, data.size(), state_->gpsimd.cores());
    if (!place) return functional_->read(offset, data);
    std::ranges::copy(state_->gpsimd.tcm(place->core).subspan(place->offset, data.size()), data.begin());
    return true;
}

bool FastModel::debug_write(std::uint32_t offset, std::span<const std::uint8_t> data) {
    const auto place = tcm_place(offset, data.size(), state_->gpsimd.cores());
    if (!place) return functional_->write(offset, data);
    state_->gpsimd.write_tcm(place->core, place->offset, data);
    return true;
}

}  // namespace trnsim::tlm::core_fast
