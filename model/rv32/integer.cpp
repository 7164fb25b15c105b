// Integer instructions, jumps and branches.
#include <limits>

#include "model/rv32/decode.hpp"

namespace trnsim::rv32 {

namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;

constexpr i32 as_signed(u32 value) {
    return static_cast<i32>(value);
}

using Function = u32 (*)(u32 a, u32 b);

constexpr u32 add(u32 a, u32 b) {
    return a + b;
}
constexpr u32 sub(u32 a, u32 b) {
    return a - b;
}
constexpr u32 sll(u32 a, u32 b) {
    return a << (b & 31);
}
constexpr u32 slt(u32 a, u32 b) {
    return as_signed(a) < as_signed(b);
}
constexpr u32 sltu(u32 a, u32 b) {
    return a < b;
}
constexpr u32 exclusive_or(u32 a, u32 b) {
    return a ^ b;
}
constexpr u32 srl(u32 a, u32 b) {
    return a >> (b & 31);
}
constexpr u32 sra(u32 a, u32 b) {
    return static_cast<u32>(as_signed(a) >> (b & 31));
}
constexpr u32 inclusive_or(u32 a, u32 b) {
    return a | b;
}
constexpr u32 both(u32 a, u32 b) {
    return a & b;
}
constexpr u32 mul(u32 a, u32 b) {
    return a * b;
}
constexpr u32 mulh(u32 a, u32 b) {
    return static_cast<u32>((i64{as_signed(a)} * i64{as_signed(b)}) >> 32);
}
constexpr u32 mulhsu(u32 a, u32 b) {
    return static_cast<u32>((i64{as_signed(a)} * i64{b}) >> 32);
}
constexpr u32 mulhu(u32 a, u32 b) {
    return static_cast<u32>((u64{a} * u64{b}) >> 32);
}
constexpr bool overflows(u32 a, u32 b) {
    return a == 0x80000000 && b == 0xffffffff;
}
constexpr u32 div(u32 a, u32 b) {
    if (b == 0) return 0xffffffff;
    return overflows(a, b) ? a : static_cast<u32>(as_signed(a) / as_signed(b));
}
constexpr u32 divu(u32 a, u32 b) {
    return b == 0 ? 0xffffffff : a / b;
}
constexpr u32 rem(u32 a, u32 b) {
    if (b == 0) return a;
    return overflows(a, b) ? 0 : static_cast<u32>(as_signed(a) % as_signed(b));
}
constexpr u32 remu(u32 a, u32 b) {
    return b == 0 ? a : a % b;
}

template <Function F>
Op* of_registers(State& s, Op* op) {
    s.x[op->rd] = F(s.x[op->rs1], s.x[op->rs2]);
    return op + 1;
}
template <Function F>
Op* of_immediate(State& s, Op* op) {
    s.x[op->rd] = F(s.x[op->rs1], op->imm);
    return op + 1;
}

Op* lui(State& s, Op* op) {
    s.x[op->rd] = op->imm;
    return op + 1;
}
Op* auipc(State& s, Op* op) {
    s.x[op->rd] = s.pc_of(op) + op->imm;
    return op + 1;
}

Op* jump(State& s, Op* op, u32 target) {
    if ((target & 2) != 0) return trap(s, op, FetchMisaligned, target);
    s.x[op->rd] = s.pc_of(op) + 4;
    return s.at(target);
}
Op* jal(State& s, Op* op) {
    return jump(s, op, s.pc_of(op) + op->imm);
}
Op* jalr(State& s, Op* op) {
    return jump(s, op, (s.x[op->rs1] + op->imm) & ~1U);
}

using Condition = bool (*)(u32 a, u32 b);
constexpr bool equal(u32 a, u32 b) {
    return a == b;
}
constexpr bool less(u32 a, u32 b) {
    return as_signed(a) < as_signed(b);
}
constexpr bool lower(u32 a, u32 b) {
    return a < b;
}

template <Condition C, bool Wanted>
Op* branch(State& s, Op* op) {
    if (C(s.x[op->rs1], s.x[op->rs2]) != Wanted) return op + 1;
    const u32 target = s.pc_of(op) + op->imm;
    if ((target & 2) != 0) return trap(s, op, FetchMisaligned, target);
    return s.at(target);
}

constexpr Row Rows[] = {
    {Opcode, 0x37, lui, Format::U},
    {Opcode, 0x17, auipc, Format::U},
    {Opcode, 0x6f, jal, Format::J},
    {Funct3, 0x67, jalr, Format::I},
    {Funct3, 0x63, branch<equal, true>, Format::B},
    {Funct3, 0x1063, branch<equal, false>, Format::B},
    {Funct3, 0x4063, branch<less, true>, Format::B},
    {Funct3, 0x5063, branch<less, false>, Format::B},
    {Funct3, 0x6063, branch<lower, true>, Format::B},
    {Funct3, 0x7063, branch<lower, false>, Format::B},
    {Funct3, 0x13, of_immediate<add>, Format::I},
    {Funct3, 0x2013, of_immediate<slt>, Format::I},
    {Funct3, 0x3013, of_immediate<sltu>, Format::I},
    {Funct3, 0x4013, of_immediate<exclusive_or>, Format::I},
    {Funct3, 0x6013, of_immediate<inclusive_or>, Format::I},
    {Funct3, 0x7013, of_immediate<both>, Format::I},
    {Funct7, 0x1013, of_immediate<sll>, Format::I},
    {Funct7, 0x5013, of_immediate<srl>, Format::I},
    {Funct7, 0x40005013, of_immediate<sra>, Format::I},
    {Funct7, 0x33, of_registers<add>},
    {Funct7, 0x40000033, of_registers<sub>},
    {Funct7, 0x1033, of_registers<sll>},
    {Funct7, 0x2033, of_registers<slt>},
    {Funct7, 0x3033, of_registers<sltu>},
    {Funct7, 0x4033, of_registers<exclusive_or>},
    {Funct7, 0x5033, of_registers<srl>},
    {Funct7, 0x40005033, of_registers<sra>},
    {Funct7, 0x6033, of_registers<inclusive_or>},
    {Funct7, 0x7033, of_registers<both>},
    {Funct7, 0x02000033, of_registers<mul>},
    {Funct7, 0x02001033, of_registers<mulh>},
    {Funct7, 0x02002033, of_registers<mulhsu>},
    {Funct7, 0x02003033, of_registers<mulhu>},
    {Funct7, 0x02004033, of_registers<div>},
    {Funct7, 0x02005033, of_registers<divu>},
    {Funct7, 0x02006033, of_registers<rem>},
    {Funct7, 0x02007033, of_registers<remu>},
};

}  // namespace

std::span<const Row> integer_rows() {
    return Rows;
}

}  // namespace trnsim::rv32
