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

void decode_vector_access(GpsimdVectorInstruction& instruction, u32 register_bytes) {
    const u32 insn = instruction.decoded.insn, mode = insn >> 26 & 3, code = insn >> 20 & 31;
    const bool unit_stride = mode == 0;
    const bool whole = unit_stride && code == WholeRegisters, mask = unit_stride && code == MaskBits;
    const u32 funct3 = instruction.decoded.funct3();
    GpsimdVectorAccess& access = instruction.access;
    access.strided = mode == 2;
    access.indexed = (mode & 1) != 0;
    access.fault_first = unit_stride && code == FaultFirst;
    access.store = (insn >> 5 & 1) != 0;
    access.fields = whole ? 0 : insn >> 29;
    access.index_width = funct3 == 0 ? 0 : funct3 - 4;
    access.width = access.indexed ? instruction.sew : access.index_width;
    const int widened = instruction.lmul + static_cast<int>(access.width) - static_cast<int>(instruction.sew);
    access.registers = whole ? (insn >> 29) + 1 : mask ? 1 : registers_of(widened);
    access.length = whole  ? access.registers * (register_bytes >> access.width)
                    : mask ? (instruction.vl + 7) / 8
                           : instruction.vl;
    const u32 first = instruction.scalar, last = first + (access.length << access.width) - 1;
    access.streams =
        unit_stride && access.fields == 0 && !access.fault_first &&
        (access.store || !instruction.decoded.masked()) && instruction.vstart == 0 && access.length != 0 &&
        first % (1U << access.width) == 0 &&
        ((in_gpsimd_tcm(first) && in_gpsimd_tcm(last)) || (in_gpsimd_slice(first) && in_gpsimd_slice(last)));
}

void GpsimdVectorMemory::start(const GpsimdVectorInstruction& instruction) {
    instruction_ = &instruction;
    end_ = instruction.scalar + (access().length << access().width) - 1;
    state_ = State::Run;
    element_ = instruction.vstart;
    field_ = 0;
}

unsigned GpsimdVectorMemory::index_register() const {
    const u32 position = (element_ << access().index_width) / register_bytes_;
    return (instruction_->decoded.rs2() + position) % VectorRegisters;
}

unsigned GpsimdVectorMemory::data_register() const {
    const u32 position = (element_ << access().width) / register_bytes_;
    return (instruction_->decoded.rd() + field_ * access().registers + position) % VectorRegisters;
}

u32 GpsimdVectorMemory::registers() const {
    if (state_ != State::Run || !access().streams) return 0;
    const u32 last = instruction_->decoded.rd() + ((access().length << access().width) - 1) / register_bytes_;
    return gpsimd_registers_between(data_register(), last) | (access().store && masked() ? 1 : 0);
}

void GpsimdVectorMemory::settle(bool loads_done) {
    request_ = {};
    done_ = state_ == State::Drain && loads_done;
    if (state_ != State::Run || element_ >= access().length) return;
    const GpsimdVectorInstruction& in = *instruction_;
    const GpsimdVectorAccess& how = access();
    const u32 offset = how.indexed   ? in.index_at(element_, how.index_width)
                       : how.strided ? element_ * in.stride
                                     : (element_ * (how.fields + 1)) << how.width;
    address_ = in.scalar + offset + (field_ << how.width);
    bytes_ = 1U << how.width;
    if (!how.strided && !how.indexed && how.fields == 0) {
        const u32 in_memory = BeatBytes - address_ % BeatBytes, in_register = register_bytes_ - place();
        const u32 most = std::min({in_memory, in_register, (how.length - element_) << how.width});
        bytes_ = std::max(most, bytes_);  // a misaligned element, which traps
    }
    count_ = bytes_ >> how.width;
    any_ = !in.decoded.masked();
    for (u32 k = 0; k < count_ && !any_; ++k) any_ = in.active(element_ + k);
    last_ = element_ + count_ >= how.length && field_ == how.fields;
    const bool misaligned = address_ % (1U << how.width) != 0;
    fault_ = misaligned || !(in_gpsimd_tcm(address_) || in_gpsimd_slice(address_));
}

void GpsimdVectorMemory::settle_request(bool blocked) {
    blocked_ = blocked;
    if (running()) request_ = {any_ && !fault_, access().store, in_tcm()};
}

void GpsimdVectorMemory::edge(bool taken) {
    switch (state_) {
        case State::Idle:
            break;
        case State::Run:
            if (blocked_) break;
            if (element_ >= access().length || (any_ && fault_)) {
                state_ = State::Drain;
            } else if (advances(taken)) {
                if (last_) state_ = access().streams ? State::Idle : State::Drain;
                if (any_ && field_ != access().fields) {
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
