#include "model/core/fast/gpsimd_core.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <stdexcept>

#include "model/core/fast/words.hpp"

namespace trnsim::tlm::core_fast {
namespace {

using u32 = std::uint32_t;

constexpr u32 Mcycle = 0xb00, Mcycleh = 0xb80;  // CSRs

std::uint64_t register_bit(unsigned which) {
    return std::uint64_t{1} << which & ~std::uint64_t{1};  // register 0 takes no result
}

// Returns whether it needs the host's floating-point environment.
bool computes_floats(const GpsimdDecoded& decoded) {
    constexpr u32 VectorOfFloats = 1, ScalarOfFloats = 5;  // funct3
    switch (decoded.unit) {
        case GpsimdUnit::Float:
        case GpsimdUnit::Divide:
        case GpsimdUnit::Csr:
            return true;
        case GpsimdUnit::Vector:
            return decoded.funct3() == VectorOfFloats || decoded.funct3() == ScalarOfFloats;
        default:
            return false;
    }
}

}  // namespace

GpsimdCore::GpsimdCore(u32 vlen, u32 number, const rv32::Slice& slice)
    : hart_(std::make_unique<rv32::Hart>(rv32::Sizes{.vlen = vlen, .hart_id = number})),
      register_bytes_(vlen / 8),
      code_(TRNSIM_TCM_BYTES / WordBytes),
      vector_(vlen / 8) {
    hart_->attach(slice);
}

void GpsimdCore::write_tcm(u32 offset, std::span<const std::uint8_t> bytes) {
    hart_->write_tcm(TRNSIM_TCM_BASE + offset, bytes);
}

const GpsimdDecoded& GpsimdCore::decoded_at(u32 address) {
    const u32 offset = address - TRNSIM_TCM_BASE;
    u32 insn = 0;
    std::memcpy(&insn, &hart_->tcm()[offset], sizeof(insn));
    GpsimdDecoded& decoded = code_[offset / WordBytes];
    if (decoded.insn != insn) decoded = decode_gpsimd(insn);
    return decoded;
}

// Finds the state of the next cycle from the registers.
void GpsimdCore::settle() {
    vector_.settle(loads_ == 0);
    trapped_ = valid_ && (traps_ || (traps_at_end_ && started_ && vector_.memory_done()));
    sleeps_ = run_ && !(irq_ && hart_->interrupts().enabled);
    waiting_ = go() && now_.unit == GpsimdUnit::Wait && sleeps_ && vector_.idle();
    load_request_ = vector_.load().request();
    store_request_ = vector_.store().request();
    overtakes_ = scalar_request_.valid && overtakes();
    if (go() && scalar_request_.valid && !overtakes_)
        (scalar_request_.store ? store_request_ : load_request_) = scalar_request_;
    queue_ready_ = loads_ != load_.size() && (loads_ == 0 || loads_slice_ == !load_request_.tcm);
    tcm_store_ = store_request_.valid && store_request_.tcm;
    tcm_request_ = tcm_store_ || (load_request_.valid && load_request_.tcm && queue_ready_);
    slice_read_ = load_request_.valid && !load_request_.tcm && queue_ready_;
    slice_write_ = store_request_.valid && !store_request_.tcm;
}

// Returns whether the scalar load or store would overtake accesses of the vector unit.
bool GpsimdCore::overtakes() const {
    const GpsimdVectorMemory &loads = vector_.load(), &stores = vector_.store();
    const auto same_memory = [this](const GpsimdVectorMemory& other) {
        return !other.idle() && other.in_tcm() == scalar_request_.tcm;
    };
    return scalar_request_.store ? !stores.idle() || same_memory(loads)
                                 : !loads.idle() || same_memory(stores);
}

// Returns whether the instruction in execute is done in this cycle, if it does not trap.
bool GpsimdCore::done(const Step& step) const {
    const bool quiet = units_.idle() && vector_.idle();
    switch (now_.unit) {
        case GpsimdUnit::Load:
            return step.load_ready && !overtakes_;
        case GpsimdUnit::Store:
            return step.store_ready && !overtakes_;
        case GpsimdUnit::Multiply:
        case GpsimdUnit::Divide:
        case GpsimdUnit::Float:
            return units_.ready(now_.unit, vector_.result());
        case GpsimdUnit::Csr:
            return quiet;
        case GpsimdUnit::Fence:
            return loads_ == 0 && quiet;
        case GpsimdUnit::Wait:
            return !sleeps_;
        case GpsimdUnit::Vector:
            return vector_.ready(taken(step));
        case GpsimdUnit::VectorMemory:
            return streams_ ? vector_.ready(taken(step)) : started_ && vector_.memory_done();
        default:
            return true;
    }
}

GpsimdCore::Step GpsimdCore::decide(const In& in) const {
    Step step;
    step.load_ready = queue_ready_ && (load_request_.tcm ? !tcm_store_ : in.slice_ready);
    step.store_ready = store_request_.tcm || in.slice_ready;
    step.load_arrives = tcm_[2] == Access::Data || in.slice_answers;
    step.traps = trapped_;
    step.retires = go() && done(step);
    step.units = step.retires && (now_.unit == GpsimdUnit::Multiply || now_.unit == GpsimdUnit::Divide ||
                                  now_.unit == GpsimdUnit::Float);
    step.vector = go() &&
                  (now_.unit == GpsimdUnit::Vector || (now_.unit == GpsimdUnit::VectorMemory && !started_)) &&
                  vector_.ready(taken(step));

    step.arrived = register_bit(vector_.result() ? vector_.dest() : units_.dest());
    if (step.load_arrives) step.arrived |= register_bit(load_[head_].dest);
    std::uint64_t waiting = pending_ & ~step.arrived;
    if (valid_ && now_.later) waiting |= now_.writes();
    step.hazard = ((decoded_.reads | decoded_.writes()) & waiting) != 0;

    GpsimdFetch::In& fetch = step.fetch;
    const bool start = in.run && !run_;
    const bool fence = step.retires && now_.unit == GpsimdUnit::Fence;
    fetch.redirect =
        start || step.traps ||
        (step.retires && (taken_ || now_.unit == GpsimdUnit::Fence || now_.unit == GpsimdUnit::Return));
    fetch.target = start ? in.boot : target_;
    fetch.flush = start || (fence && (now_.funct3() & 1) != 0);
    fetch.granted = fetch_.requests(fetch.flush) && run_ && !tcm_request_ && !in.window;
    fetch.arrives = tcm_[2] == Access::Fetch;
    const bool leaves = step.retires || step.traps;
    fetch.taken = fetch_.valid() && (!valid_ || leaves) && !step.hazard && in.run && run_ && !fetch.redirect;
    return step;
}

GpsimdClass GpsimdCore::cause(const Step& step) const {
    switch (now_.unit) {
        case GpsimdUnit::Load:
        case GpsimdUnit::Store:
            return overtakes_ ? GpsimdClass::Vector : GpsimdClass::Memory;
        case GpsimdUnit::VectorMemory: {
            const GpsimdVector::Taken taken = this->taken(step);
            const bool refused = vector_.load().request().valid != taken.load ||
                                 vector_.store().request().valid != taken.store;
            return !streams_ && (refused || vector_.draining()) ? GpsimdClass::Memory : GpsimdClass::Vector;
        }
        case GpsimdUnit::Vector:
        case GpsimdUnit::Wait:
            return GpsimdClass::Vector;
        case GpsimdUnit::Csr:
            return vector_.idle() ? GpsimdClass::Unit : GpsimdClass::Vector;
        case GpsimdUnit::Fence:
            if (!vector_.idle()) return GpsimdClass::Vector;
            return loads_ == 0 ? GpsimdClass::Unit : GpsimdClass::Memory;
        default:
            return GpsimdClass::Unit;
    }
}

void GpsimdCore::count(const In& in, const Step& step) {
    ++counters_.cycles;
    GpsimdClass which = GpsimdClass::Retired;
    if (!step.retires) {
        if (!valid_)
            which = !(run_ && in.run)               ? GpsimdClass::Sleep
                    : fetch_.valid() && step.hazard ? GpsimdClass::Operand
                                                    : GpsimdClass::Fetch;
        else
            which = step.traps ? GpsimdClass::Trap : waiting_ ? GpsimdClass::Sleep : cause(step);
    }
    ++counters_.in_class[static_cast<std::size_t>(which)];
}

void GpsimdCore::edge(const In& in) {
    const Step step = decide(in);
    count(in, step);
    if (step.retires && now_.unit == GpsimdUnit::Wait) leave_wait();
    if (step.retires && counter_left_) execute_counter();

    // Results to come.
    pending_ &= ~step.arrived;
    if (step.retires && now_.later) pending_ |= now_.writes();
    units_.edge(step.units ? &now_ : nullptr, vector_.result());

    // Memory.
    const bool pushes = load_request_.valid && step.load_ready;
    if (step.load_arrives) {
        vector_.arrive(load_[head_].closed);
        head_ = (head_ + 1) % static_cast<unsigned>(load_.size());
        --loads_;
    }
    if (pushes) {
        Load& load = load_[(head_ + loads_) % load_.size()];
        load = {};
        if (vector_.load().request().valid)
            load.closed = vector_.closed();
        else
            load.dest = now_.dest;
        ++loads_;
        loads_slice_ = !load_request_.tcm;
    }
    tcm_[2] = tcm_[1];
    tcm_[1] = tcm_[0] == Access::Write ? Access::None : tcm_[0];
    tcm_[0] = tcm_store_           ? Access::Write
              : tcm_request_       ? Access::Data
              : in.window          ? in.window_write ? Access::Write : Access::Window
              : step.fetch.granted ? Access::Fetch
                                   : Access::None;
    vector_.edge(step.vector, taken(step));

    // Execute and fetch.
    if (step.vector && now_.unit == GpsimdUnit::VectorMemory && !streams_) started_ = true;
    if (in.run && !run_) hart_->start(in.boot);
    run_ = in.run;
    irq_ = in.irq;
    if (step.retires || step.traps) {
        valid_ = started_ = false;
        scalar_request_ = {};
    }
    ++edges_;
    if (step.fetch.taken) {
        valid_ = true;
        pc_ = fetch_.pc();
        now_ = in_gpsimd_tcm(pc_) ? decoded_ : GpsimdDecoded{};
        enter();
    }
    const bool had = fetch_.valid() && !step.fetch.taken;
    fetch_.edge(step.fetch);
    if (fetch_.valid() && !had) decoded_ = decoded_at(fetch_.bits());
    settle();
}

// Executes in the simulator the next instruction in program order, which is in execute.
void GpsimdCore::enter() {
    traps_ = traps_at_end_ = taken_ = counter_left_ = streams_ = false;
    const rv32::Interrupts interrupts = hart_->interrupts();
    if (irq_ && interrupts.enabled && interrupts.taken && now_.unit != GpsimdUnit::Wait) {
        constexpr u32 External = 11;
        traps_ = interrupted_ = true;
        target_ = (interrupts.vector & ~3U) + ((interrupts.vector & 1) != 0 ? WordBytes * External : 0);
        return;
    }
    const u32 number = now_.insn >> 20;
    if (now_.unit == GpsimdUnit::Wait) return;
    if (now_.unit == GpsimdUnit::Csr && (number == Mcycle || number == Mcycleh)) {
        counter_left_ = true;
        return;
    }
    if (!interrupted_ && hart_->pc() != pc_)
        throw std::logic_error(
            fmt::format("gpsimd core: pc 0x{:08x} in execute, expected 0x{:08x}", pc_, hart_->pc()));
    const u32 a = hart_->x(now_.rs1());
    switch (now_.unit) {
        case GpsimdUnit::Load:
        case GpsimdUnit::Store: {
            const bool store = now_.unit == GpsimdUnit::Store;
            const auto immediate = static_cast<std::int32_t>(now_.insn) >> 20;
            const auto upper = static_cast<std::int32_t>(now_.insn & 0xfe000000) >> 20;
            const u32 address =
                a + static_cast<u32>(store ? upper | static_cast<std::int32_t>(now_.rd()) : immediate);
            scalar_request_ = {true, store, in_gpsimd_tcm(address)};
            break;
        }
        case GpsimdUnit::Branch: {
            const u32 b = hart_->x(now_.rs2());
            const bool less = (now_.funct3() & 2) != 0
                                  ? a < b
                                  : static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
            const bool holds = (now_.funct3() & 4) != 0 ? less : a == b;
            taken_ = holds != ((now_.funct3() & 1) != 0);
            break;
        }
        case GpsimdUnit::Jump:
            taken_ = true;
            break;
        case GpsimdUnit::Vector:
        case GpsimdUnit::VectorMemory:
            prepare_vector();
            break;
        default:
            break;
    }
    execute();
}

void GpsimdCore::execute() {
    const std::uint64_t retired = hart_->retired();
    hart_->interrupt(interrupted_);
    hart_->step(interrupted_ || computes_floats(now_));
    hart_->interrupt(false);
    interrupted_ = false;
    target_ = hart_->pc();
    if (hart_->retired() != retired) return;
    constexpr u32 Mcause = 0x342, FirstOfMemory = 4, LastOfMemory = 7;
    const u32 cause = hart_->csr(Mcause);
    traps_at_end_ = now_.unit == GpsimdUnit::VectorMemory && cause >= FirstOfMemory && cause <= LastOfMemory;
    traps_ = !traps_at_end_;
}

// Advances mcycle in the simulator: mcycle counts edges, the simulator counts instructions.
void GpsimdCore::tell_edges() {
    hart_->pass(edges_ - told_edges_ - (hart_->retired() - told_retired_));
    told_edges_ = edges_;
    told_retired_ = hart_->retired();
}

void GpsimdCore::execute_counter() {
    tell_edges();
    const bool writes = (now_.funct3() & 3) == 1 || now_.rs1() != 0;
    if (writes && now_.insn >> 20 == Mcycle) ++told_edges_;  // the write replaces a count
    execute();
}

void GpsimdCore::leave_wait() {
    const rv32::Interrupts interrupts = hart_->interrupts();
    if (irq_ && interrupts.enabled && !interrupts.taken) {
        hart_->interrupt(true);
        hart_->run(1);
        hart_->interrupt(false);
    } else {
        hart_->end_wait();
    }
}

void GpsimdCore::prepare_vector() {
    GpsimdVectorInstruction& next = vector_.next();
    const rv32::VectorState state = hart_->vector_state();
    next.decoded = now_;
    next.vl = state.vl;
    next.vstart = state.vstart;
    next.sew = state.sew;
    next.lmul = state.lmul;
    next.scalar = now_.funct3() == 3 && now_.unit == GpsimdUnit::Vector ? now_.rs1() : hart_->x(now_.rs1());
    next.stride = hart_->x(now_.rs2());
    const bool compresses = now_.unit == GpsimdUnit::Vector && now_.row.kind == VectorKind::Compress;
    if (now_.masked() || compresses) {
        const auto mask = hart_->v(compresses ? now_.rs1() : 0);
        std::memcpy(next.mask.data(), mask.data(), mask.size());
    }
    if (now_.unit == GpsimdUnit::VectorMemory) {
        decode_vector_access(next, register_bytes_);
        streams_ = next.access.streams;
    }
    const bool indexed = now_.unit == GpsimdUnit::VectorMemory && (now_.insn >> 26 & 1) != 0;
    const bool gathers = now_.unit == GpsimdUnit::Vector && now_.row.kind == VectorKind::Gather;
    if (!indexed && !gathers) return;
    constexpr u32 Registers = 32, Group = 8;
    const u32 first = indexed ? now_.rs2() : now_.rs1();
    for (u32 k = 0; k < (gathers ? 1 : Group) && first + k < Registers; ++k) {
        const auto bytes = hart_->v(first + k);
        std::memcpy(&next.index[std::size_t{k} * register_bytes_], bytes.data(), bytes.size());
    }
}

}  // namespace trnsim::tlm::core_fast
