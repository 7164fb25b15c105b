#include "model/core/fast/gpsimd_vector_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace trnsim::tlm::core_fast {
namespace {

using u32 = std::uint32_t;

constexpr u32 BeatBytes = 64, VectorRegisters = 32;
constexpr u32 WholeRegisters = 8, MaskBits = 11, FaultFirst = 16;  // codes in vs2 of unit-stride ones

u32 registers_of(int lmul) {
    return lmul <= 0 ? 1 : 1U << lmul;
}

}  // namespace

u32 GpsimdVectorInstruction::index_at(u32 element, u32 width) const {
    u32 value = 0;
    std::memcpy(&value, &index[std::size_t{element} << width], std::size_t{1} << width);
    return value;
}

void GpsimdVectorMemory::start(const GpsimdVectorInstruction& instruction) {
    const u32 insn = instruction.decoded.insn, mode = insn >> 26 & 3, code = insn >> 20 & 31;
    const bool unit_stride = mode == 0;
    const bool whole = unit_stride && code == WholeRegisters, mask = unit_stride && code == MaskBits;
    const u32 funct3 = instruction.decoded.funct3();
    instruction_ = &instruction;
    strided_ = mode == 2;
    indexed_ = (mode & 1) != 0;
    fault_first_ = unit_stride && code == FaultFirst;
    store_ = (insn >> 5 & 1) != 0;
    fields_ = whole ? 0 : insn >> 29;
    index_width_ = funct3 == 0 ? 0 : funct3 - 4;
    width_ = indexed_ ? instruction.sew : index_width_;
    const int widened = instruction.lmul + static_cast<int>(width_) - static_cast<int>(instruction.sew);
    registers_ = whole ? (insn >> 29) + 1 : mask ? 1 : registers_of(widened);
    length_ = whole  ? registers_ * (register_bytes_ >> width_)
              : mask ? (instruction.vl + 7) / 8
                     : instruction.vl;
    state_ = State::Idle;
    element_ = field_ = 0;
}

unsigned GpsimdVectorMemory::index_register() const {
    const u32 position = (element_ << index_width_) / register_bytes_;
    return (instruction_->decoded.rs2() + position) % VectorRegisters;
}

unsigned GpsimdVectorMemory::data_register() const {
    const u32 position = (element_ << width_) / register_bytes_;
    return (instruction_->decoded.rd() + field_ * registers_ + position) % VectorRegisters;
}

void GpsimdVectorMemory::settle(bool blocked, bool loads_done) {
    request_ = {};
    done_ = state_ == State::Drain && loads_done;
    if (state_ != State::Run || blocked || element_ >= length_) return;
    const GpsimdVectorInstruction& in = *instruction_;
    const u32 offset = indexed_   ? in.index_at(element_, index_width_)
                       : strided_ ? element_ * in.stride
                                  : (element_ * (fields_ + 1)) << width_;
    const u32 address = in.scalar + offset + (field_ << width_);
    count_ = 1;
    if (!strided_ && !indexed_ && fields_ == 0) {
        const u32 in_memory = BeatBytes - address % BeatBytes;
        const u32 in_register = register_bytes_ - (element_ << width_) % register_bytes_;
        const u32 bytes = std::min({in_memory, in_register, (length_ - element_) << width_});
        count_ = std::max(bytes >> width_, 1U);  // a misaligned element, which traps
    }
    any_ = !in.decoded.masked();
    for (u32 k = 0; k < count_ && !any_; ++k) any_ = in.active(element_ + k);
    const bool misaligned = address % (1U << width_) != 0;
    fault_ = misaligned || !(in_gpsimd_tcm(address) || in_gpsimd_slice(address));
    request_ = {any_ && !fault_, store_, in_gpsimd_tcm(address)};
}

void GpsimdVectorMemory::edge(bool blocked, bool taken) {
    switch (state_) {
        case State::Idle:
            element_ = instruction_->vstart;
            field_ = 0;
            state_ = State::Run;
            break;
        case State::Run:
            if (blocked) break;
            if (element_ >= length_ || (any_ && fault_)) {
                state_ = State::Drain;
            } else if (!any_ || taken) {
                if (element_ + count_ >= length_ && field_ == fields_) state_ = State::Drain;
                if (any_ && field_ != fields_) {
                    ++field_;
                } else {
                    field_ = 0;
                    element_ += count_;
                }
            }
            break;
        case State::Drain:
            if (done_) state_ = State::Idle;
            break;
    }
}

}  // namespace trnsim::tlm::core_fast
