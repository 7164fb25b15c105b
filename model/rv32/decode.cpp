#include "model/rv32/decode.hpp"

#include <array>

#include "model/rv32/memory.hpp"

namespace trnsim::rv32 {

namespace {

using u32 = std::uint32_t;

u32 sign_extended(u32 value, unsigned bits) {
    return static_cast<u32>(static_cast<std::int32_t>(value << (32 - bits)) >> (32 - bits));
}

u32 immediate(Format format, u32 insn) {
    switch (format) {
        case Format::I:
            return sign_extended(insn >> 20, 12);
        case Format::S:
            return sign_extended((insn >> 25) << 5 | (insn >> 7 & 31), 12);
        case Format::B:
            return sign_extended(
                (insn >> 31) << 12 | (insn >> 7 & 1) << 11 | (insn >> 25 & 63) << 5 | (insn >> 8 & 15) << 1,
                13);
        case Format::U:
            return insn & 0xfffff000;
        case Format::J:
            return sign_extended((insn >> 31) << 20 | (insn >> 12 & 255) << 12 | (insn >> 20 & 1) << 11 |
                                     (insn >> 21 & 1023) << 1,
                                 21);
        default:
            return insn >> 15 & 31;
    }
}

const Row* row_of(u32 insn) {
    for (const auto rows :
         {integer_rows(), memory_rows(), system_rows(), float_rows(), vector_handler_rows()})
        for (const Row& row : rows)
            if ((insn & row.mask) == row.match) return &row;
    return nullptr;
}

}  // namespace

Op* decode_first(State& state, Op* op) {
    const auto word = static_cast<u32>(op - state.ops.data());
    u32 insn = 0;
    std::memcpy(&insn, &state.tcm[std::size_t{4} * word], sizeof insn);
    const Row* row = row_of(insn);
    state.code[word / 16] = 1;
    *op = {};
    op->tag = UnknownTag;
    op->insn = insn;
    op->rd = static_cast<std::uint8_t>(insn >> 7 & 31);
    op->rs1 = static_cast<std::uint8_t>(insn >> 15 & 31);
    op->rs2 = static_cast<std::uint8_t>(insn >> 20 & 31);
    op->rs3 = static_cast<std::uint8_t>(insn >> 27);
    op->handler = row ? row->handler : illegal;
    if (row) {
        op->imm = immediate(row->format, insn);
        if (!row->keeps_rd && op->rd == 0) op->rd = NoRegister;
    }
    return op->handler(state, op);
}

Op* fetch_from_nowhere(State& state, Op* op) {
    state.lost_pc = state.pc_of(op);
    return trap(state, &state.lost, FetchFault, state.lost_pc);
}

}  // namespace trnsim::rv32
