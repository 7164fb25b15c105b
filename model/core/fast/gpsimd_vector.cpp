#include "model/core/fast/gpsimd_vector.hpp"

#include <algorithm>
#include <bit>

namespace trnsim::tlm::core_fast {
namespace {

using u32 = std::uint32_t;
using Kind = VectorKind;

constexpr u32 GatherOfHalves = 0x0e;  // vrgatherei16

}  // namespace

GpsimdVector::GpsimdVector(u32 register_bytes)
    : register_bytes_(register_bytes),
      byte_bits_(static_cast<unsigned>(std::countr_zero(register_bytes))),
      memory_(register_bytes) {}

u32 GpsimdVector::vlmax() const {
    const GpsimdVectorInstruction& in = instructions_[current_];
    const u32 elements = register_bytes_ >> in.sew;
    return in.lmul >= 0 ? elements << in.lmul : elements >> -in.lmul;
}

// x and y are neighbouring registers of vs2. Registers outside the group read as zeros, after a wait for
// them.
GpsimdVector::Reads GpsimdVector::slide_reads() const {
    const GpsimdVectorInstruction& in = instructions_[current_];
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
    const GpsimdVectorInstruction& in = instructions_[current_];
    const GpsimdDecoded& op = in.decoded;
    const u32 vs2 = op.rs2(), vs1 = op.rs1(), vd = op.rd();
    const u32 narrower_x = row().wide_x ? 0U : row().part + (row().wide_d ? 1U : 0U);
    const u32 narrower_d = row().wide_x && !row().wide_d ? 1 : 0;
    const u32 z = vd + (row().mask_d ? 0 : beat_ >> narrower_d);
    Reads reads{vs2 + (beat_ >> narrower_x), vs1 + (beat_ >> (width_ - in.sew)), z};
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

bool GpsimdVector::is_blocked(const Reads& reads) const {
    u32 in_flight = 0;
    for (const u32 registers : in_flight_) in_flight |= registers;
    in_flight &= ~own_;
    if (in_flight == 0) return false;
    const GpsimdDecoded& op = instructions_[current_].decoded;
    const auto under_way = [&](unsigned which) { return (in_flight >> which & 1) != 0; };
    return under_way(reads.x) || (under_way(reads.y) && (op.funct3() <= 2 || slides_)) ||
           under_way(reads.z) || (under_way(0) && op.masked());
}

void GpsimdVector::settle(bool loads_done) {
    advances_ = last_ = blocked_ = false;
    if (state_ == State::Idle) return;
    if (state_ == State::Run) {
        settle_run();
        return;
    }
    now_ = {memory_.index_register(), instructions_[current_].decoded.rs1(), memory_.data_register()};
    blocked_ = is_blocked(now_);
    memory_.settle(blocked_, loads_done);
}

void GpsimdVector::settle_run() {
    now_ = reads();
    blocked_ = is_blocked(now_);
    nothing_ = vl_ == 0 && !scalar_result_;
    const u32 last_beat = one_by_one_ ? vl_ - 1 : (vl_ - 1) >> (byte_bits_ - width_);
    last_ = nothing_ || scalar_result_ || is(Kind::MaskLogic) || is(Kind::FromScalar) || beat_ >= last_beat;
    advances_ = !blocked_ && wait_ == 0 && (!divides_ || divider_ == Divider::Done || nothing_);
}

// Returns whether any of the elements of the beat is active.
bool GpsimdVector::any_active() const {
    const GpsimdVectorInstruction& in = instructions_[current_];
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
    const GpsimdVectorInstruction& in = instructions_[current_];
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

void GpsimdVector::edge(bool starts, bool taken) {
    if (state_ == State::Run) {
        edge_run();
    } else {
        for (unsigned k = 0; k + 1 < FloatStages; ++k) in_flight_[k] = in_flight_[k + 1];
        in_flight_.back() = 0;
        if (state_ == State::Memory) {
            const bool done = memory_.done();
            memory_.edge(blocked_, taken);
            if (done) state_ = State::Idle;
        }
    }
    if (!starts) return;
    current_ = 1 - current_;
    const GpsimdVectorInstruction& in = instructions_[current_];
    const bool memory = in.decoded.unit == GpsimdUnit::VectorMemory;
    state_ = memory ? State::Memory : State::Run;
    beat_ = packed_ = wait_ = own_ = 0;
    one_by_one_ = scalar_result_ = divides_ = slides_ = float_ = false;
    if (memory) {
        memory_.start(in);
        return;
    }
    width_ = in.sew + (row().wide_d || row().wide_x ? 1 : 0);
    vl_ = is(Kind::MoveRegisters) ? ((in.decoded.rs1() & 7) + 1) * (register_bytes_ >> in.sew) : in.vl;
    one_by_one_ = is(Kind::Gather) || is(Kind::Compress) || is(Kind::FloatReduce);
    scalar_result_ = is(Kind::ToScalar);
    divides_ = is(Kind::Divide) || is(Kind::FloatDivide);
    slides_ = is(Kind::SlideUp) || is(Kind::SlideDown) || is(Kind::Slide1Up) || is(Kind::Slide1Down);
    float_ = is(Kind::Float) || is(Kind::FloatDivide) || is(Kind::FloatReduce);
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
    if (is(Kind::Compress) && instructions_[current_].active(beat_)) ++packed_;
    ++beat_;
    wait_ = is(Kind::FloatReduce) ? FloatStages - 1 : 0;
    if (last_) state_ = State::Idle;
}

void GpsimdVector::edge_divider() {
    const u32 sew = instructions_[current_].sew;
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
