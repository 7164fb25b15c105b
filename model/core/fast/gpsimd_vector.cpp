#include "model/core/fast/gpsimd_vector.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace trnsim::tlm::core_fast {
namespace {

using u32 = std::uint32_t;
using Kind = VectorKind;

constexpr u32 GatherOfHalves = 0x0e;  // vrgatherei16

}  // namespace

GpsimdVector::GpsimdVector(u32 register_bytes)
    : register_bytes_(register_bytes),
      byte_bits_(static_cast<unsigned>(std::countr_zero(register_bytes))),
      load_(register_bytes),
      store_(register_bytes) {}

// Returns whether loads and stores run beside an operation of this kind.
bool GpsimdVector::chains(Kind kind) {
    switch (kind) {
        case Kind::Elements:
        case Kind::Float:
        case Kind::Divide:
        case Kind::FloatDivide:
        case Kind::MaskLogic:
        case Kind::FromScalar:
        case Kind::MoveRegisters:
            return true;
        default:
            return false;
    }
}

u32 GpsimdVector::vlmax() const {
    const GpsimdVectorInstruction& in = operation();
    const u32 elements = register_bytes_ >> in.sew;
    return in.lmul >= 0 ? elements << in.lmul : elements >> -in.lmul;
}

// x and y are neighbouring registers of vs2. Registers outside the group read as zeros, after a wait for
// them.
GpsimdVector::Reads GpsimdVector::slide_reads() const {
    const GpsimdVectorInstruction& in = operation();
    const bool by_one = is(Kind::Slide1Up) || is(Kind::Slide1Down);
    const u32 distance = by_one ? 1 : in.scalar;
    constexpr u32 Beyond = 16;
    const u32 registers = distance >= vlmax() ? Beyond : (distance << in.sew) >> byte_bits_;
    const bool up = is(Kind::SlideUp) || is(Kind::Slide1Up);
    const u32 source = up ? beat_ - registers - 1 : beat_ + registers;
    return {(in.decoded.rs2() + source) % Registers, (in.decoded.rs2() + source + 1) % Registers,
            (in.decoded.rd() + beat_) % Registers};
}

GpsimdVector::Reads GpsimdVector::reads() const {
    const GpsimdVectorInstruction& in = operation();
    const GpsimdDecoded& op = in.decoded;
    const u32 vs2 = op.rs2(), vs1 = op.rs1(), vd = op.rd();
    const u32 z = vd + (row().mask_d ? 0 : beat_ >> narrower_d());
    Reads reads{vs2 + (beat_ >> narrower_x()), vs1 + (beat_ >> (width_ - in.sew)), z};
    switch (row().kind) {
        case Kind::SlideUp:
        case Kind::SlideDown:
        case Kind::Slide1Up:
        case Kind::Slide1Down:
            return slide_reads();
        case Kind::Reduce:
            reads.y = vs1;
            reads.z = vd;
            break;
        case Kind::MaskLogic:
        case Kind::ToScalar:
            reads = {vs2, vs1, vd};
            break;
        case Kind::Iota:
            reads.x = vs2;
            reads.y = vs1;
            break;
        case Kind::GatherScalar:
            reads.x = vs2 + ((in.scalar << in.sew) >> byte_bits_);
            break;
        case Kind::Compress:
        case Kind::FloatReduce:
            reads.x = vs2 + ((beat_ << in.sew) >> byte_bits_);
            reads.y = vs1;
            break;
        case Kind::Gather: {
            // Results of older instructions are there after the first few elements.
            const u32 index_width = op.insn >> 26 == GatherOfHalves ? 1 : in.sew;
            const u32 index = beat_ < 2 * FloatStages ? in.index_at(beat_, index_width) : 0;
            reads.y = vs1 + ((beat_ << index_width) >> byte_bits_);
            reads.x = vs2 + ((index << in.sew) >> byte_bits_);
            break;
        }
        default:
            break;
    }
    return {reads.x % Registers, reads.y % Registers, reads.z % Registers};
}

// Returns the registers that an operation that chains has still to use.
GpsimdVector::Uses GpsimdVector::uses() const {
    if (state_ != State::Run || vl_ == 0) return {};
    const GpsimdDecoded& op = operation().decoded;
    const bool one_beat = is(Kind::MaskLogic) || is(Kind::FromScalar);
    const u32 last = one_beat ? beat_ : (vl_ - 1) >> (byte_bits_ - width_);
    Uses uses;
    uses.writes = gpsimd_registers_between(now_.z, op.rd() + (last >> narrower_d()));
    if (row().mask_d) uses.writes = 1U << now_.z;
    uses.all = uses.writes | gpsimd_registers_between(now_.x, op.rs2() + (last >> narrower_x()));
    if (op.funct3() <= 2)
        uses.all |= gpsimd_registers_between(now_.y, op.rs1() + (last >> (width_ - operation().sew)));
    if (op.masked()) uses.all |= 1;
    return uses;
}

void GpsimdVector::settle(bool loads_done) {
    advances_ = last_ = blocked_ = false;
    load_.settle(loads_done);
    store_.settle(loads_done);
    if (state_ == State::Idle && load_.idle() && store_.idle()) return;
    u32 in_flight = 0;
    for (const u32 registers : in_flight_) in_flight |= registers;
    const u32 load_registers = load_.idle() ? 0 : load_.registers();
    const u32 store_registers = store_.idle() ? 0 : store_.registers();
    if (state_ == State::Run) settle_run(in_flight, load_registers, store_registers);
    const Uses uses = this->uses();
    const auto blocked = [](const GpsimdVectorMemory& memory, u32 hazards) {
        const u32 index = memory.indexed() ? 1U << memory.index_register() : 0;
        const u32 registers = 1U << memory.data_register() | index | (memory.masked() ? 1 : 0);
        return (hazards & registers) != 0;
    };
    if (!load_.idle()) {
        const u32 hazards = in_flight | (load_after_operation_ ? uses.all : 0) |
                            (load_after_store_ ? store_registers : 0) |
                            (load_.opens() ? arriving_ & 1U << load_.data_register() : 0);
        load_.settle_request(blocked(load_, hazards) || (load_after_store_ && load_.overlaps(store_)));
    }
    if (!store_.idle()) {
        const u32 hazards = in_flight | arriving_ | (store_after_operation_ ? uses.writes : 0) |
                            (store_after_load_ ? load_registers : 0);
        store_.settle_request(blocked(store_, hazards) || (store_after_load_ && store_.overlaps(load_)));
    }
}

void GpsimdVector::settle_run(u32 in_flight, u32 load_registers, u32 store_registers) {
    now_ = reads();
    const GpsimdDecoded& op = operation().decoded;
    const u32 hazards = (in_flight & ~own_) | arriving_ | (operation_after_load_ ? load_registers : 0);
    const auto under_way = [hazards](unsigned which) { return (hazards >> which & 1) != 0; };
    blocked_ = under_way(now_.x) || (under_way(now_.y) && (op.funct3() <= 2 || slides_)) ||
               under_way(now_.z) || (under_way(0) && op.masked()) ||
               (operation_after_store_ && (store_registers >> now_.z & 1) != 0);
    nothing_ = vl_ == 0 && !scalar_result_;
    const u32 last_beat = one_by_one_ ? vl_ - 1 : (vl_ - 1) >> (byte_bits_ - width_);
    last_ = nothing_ || scalar_result_ || is(Kind::MaskLogic) || is(Kind::FromScalar) || beat_ >= last_beat;
    advances_ = !blocked_ && wait_ == 0 && (!divides_ || divider_ == Divider::Done || nothing_);
}

bool GpsimdVector::ready(const Taken& taken) const {
    const GpsimdVectorInstruction& next = instructions_[next_];
    if (next.decoded.unit == GpsimdUnit::Vector)
        return !stays() && (chains(next.decoded.row.kind) || memory_idle());
    if (!next.access.streams) return idle();
    const bool free = next.access.store ? store_.idle() || store_.finishes(taken.store)
                                        : load_.idle() || load_.finishes(taken.load);
    return free && (chains_ || !stays());
}

// Returns whether any of the elements of the beat is active.
bool GpsimdVector::any_active() const {
    const GpsimdVectorInstruction& in = operation();
    const u32 elements = one_by_one_ ? 1 : 1U << (byte_bits_ - width_);
    u32 first = beat_ * elements;
    const u32 end = std::min(first + elements, vl_);
    if (is(Kind::SlideUp)) first = std::max(first, in.scalar);
    if (first >= end) return false;
    if (!in.decoded.masked() || row().carry) return true;
    for (u32 element = first; element < end; ++element)
        if (in.active(element)) return true;
    return false;
}

// Returns whether the beat writes a register, and sets `which`.
bool GpsimdVector::writes(unsigned& which) const {
    const GpsimdVectorInstruction& in = operation();
    which = now_.z;
    switch (row().kind) {
        case Kind::Reduce:
        case Kind::FloatReduce:
            which = in.decoded.rd();
            return last_;
        case Kind::MaskLogic:
        case Kind::FromScalar:
            return true;
        case Kind::ToScalar:
            return false;
        case Kind::Gather:
            which = (in.decoded.rd() + ((beat_ << in.sew) >> byte_bits_)) % Registers;
            return any_active();
        case Kind::Compress:
            which = (in.decoded.rd() + ((packed_ << in.sew) >> byte_bits_)) % Registers;
            return in.active(beat_);
        default:
            return row().mask_d || any_active();
    }
}

void GpsimdVector::edge(bool starts, const Taken& taken) {
    const GpsimdVectorInstruction& next = instructions_[next_];
    const bool memory = next.decoded.unit == GpsimdUnit::VectorMemory;
    const bool operation_starts = starts && !memory;
    const bool load_starts = starts && memory && !next.access.store,
               store_starts = starts && memory && next.access.store;
    const bool operation_stays = stays();
    const bool load_stays = !load_.idle() && !load_.finishes(taken.load);
    const bool store_stays = !store_.idle() && !store_.finishes(taken.store);
    operation_after_load_ = (operation_starts || operation_after_load_) && load_stays;
    operation_after_store_ = (operation_starts || operation_after_store_) && store_stays;
    load_after_operation_ = (load_starts || load_after_operation_) && operation_stays;
    load_after_store_ = (load_starts || load_after_store_) && store_stays;
    store_after_operation_ = (store_starts || store_after_operation_) && operation_stays;
    store_after_load_ = (store_starts || store_after_load_) && load_stays;

    if (taken.load && load_.request().valid && load_.opens()) arriving_ |= 1U << load_.data_register();
    load_.edge(taken.load);
    store_.edge(taken.store);
    if (state_ == State::Run) {
        edge_run();
    } else {
        for (unsigned k = 0; k + 1 < FloatStages; ++k) in_flight_[k] = in_flight_[k + 1];
        in_flight_.back() = 0;
    }
    if (load_starts) {
        std::swap(next_, loading_);
        load_.start(instructions_[loading_]);
    } else if (store_starts) {
        std::swap(next_, storing_);
        store_.start(instructions_[storing_]);
    } else if (operation_starts) {
        std::swap(next_, operation_);
        start_operation();
    }
}

void GpsimdVector::start_operation() {
    const GpsimdVectorInstruction& in = operation();
    state_ = State::Run;
    beat_ = packed_ = wait_ = own_ = 0;
    width_ = in.sew + (row().wide_d || row().wide_x ? 1 : 0);
    vl_ = is(Kind::MoveRegisters) ? ((in.decoded.rs1() & 7) + 1) * (register_bytes_ >> in.sew) : in.vl;
    one_by_one_ = is(Kind::Gather) || is(Kind::Compress) || is(Kind::FloatReduce);
    scalar_result_ = is(Kind::ToScalar);
    divides_ = is(Kind::Divide) || is(Kind::FloatDivide);
    slides_ = is(Kind::SlideUp) || is(Kind::SlideDown) || is(Kind::Slide1Up) || is(Kind::Slide1Down);
    float_ = is(Kind::Float) || is(Kind::FloatDivide) || is(Kind::FloatReduce);
    chains_ = chains(row().kind);
}

void GpsimdVector::edge_run() {
    unsigned which = 0;
    const bool written = advances_ && !nothing_ && writes(which);
    for (unsigned k = 0; k + 1 < FloatStages; ++k) in_flight_[k] = in_flight_[k + 1];
    in_flight_.back() = 0;
    if (written) {
        in_flight_[(float_ ? FloatStages : IntegerStages) - 1] |= 1U << which;
        own_ |= 1U << which;
    }
    if (divides_) edge_divider();
    if (blocked_) return;
    if (wait_ != 0) --wait_;
    if (!advances_) return;
    if (is(Kind::Compress) && operation().active(beat_)) ++packed_;
    ++beat_;
    wait_ = is(Kind::FloatReduce) ? FloatStages - 1 : 0;
    if (last_) state_ = State::Idle;
}

void GpsimdVector::edge_divider() {
    const u32 sew = operation().sew;
    const bool is_float = is(Kind::FloatDivide);
    switch (divider_) {
        case Divider::Idle:
            pass_ = 0;
            if (!blocked_ && !nothing_) divider_ = Divider::Load;
            break;
        case Divider::Load:
            left_ = is_float ? figure(Figure::GpsimdFloatDivideSteps) : 8U << sew;
            divider_ = Divider::Step;
            break;
        case Divider::Step:
            if (left_-- != 0) break;
            divider_ = is_float || pass_ == (4U >> sew) - 1 ? Divider::Done : Divider::Load;
            ++pass_;
            break;
        case Divider::Done:
            divider_ = Divider::Idle;
            break;
    }
}

}  // namespace trnsim::tlm::core_fast
