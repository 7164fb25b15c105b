// Traps, CSR instructions, fences and wfi.
#include "model/rv32/csr.hpp"
#include "model/rv32/decode.hpp"

namespace trnsim::rv32 {

namespace {

using u32 = std::uint32_t;

Op* enter(State& s, u32 pc, u32 cause, u32 value) {
    s.mcause = cause;
    s.mtval = value;
    s.mepc = pc;
    s.mpie = s.mie;
    s.mie = false;
    const bool vectored = (s.mtvec & 1) != 0 && cause >> 31 != 0;
    return s.at((s.mtvec & ~3U) + (vectored ? 4 * (cause & 0x7fffffff) : 0));
}

// Ends the run; the rest of it does not take place.
void end_run(State& s, Stop stop) {
    s.unused += s.left;
    s.left = 0;
    s.stop = stop;
}

enum class Access { Write, Set, Clear };

template <Access A, bool Immediate>
Op* csr(State& s, Op* op) {
    const u32 number = op->insn >> 20;
    const Csr* const csr = csr_of(number);
    const bool writes = A == Access::Write || op->rs1 != 0;
    if (!csr || (writes && number >> 10 == 3) || (csr->needs == Csr::Floats && !s.fs) ||
        (csr->needs == Csr::Vectors && !s.vs))
        return illegal(s, op);
    const u32 old = csr->read(s), operand = Immediate ? op->imm : s.x[op->rs1];
    s.x[op->rd] = old;
    if (writes && csr->write) {
        csr->write(s, A == Access::Write ? operand : A == Access::Set ? old | operand : old & ~operand);
        s.update_tag();
    }
    return or_interrupt(s, op + 1);
}

Op* nothing(State&, Op* op) {
    return op + 1;
}

Op* environment_call(State& s, Op* op) {
    return trap(s, op, EnvironmentCall, 0);
}
Op* breakpoint(State& s, Op* op) {
    return trap(s, op, Breakpoint, s.pc_of(op));
}

Op* mret(State& s, Op* op) {
    s.mie = s.mpie;
    s.mpie = true;
    return or_interrupt(s, s.at(s.mepc));
}

Op* wfi(State& s, Op* op) {
    if (s.interrupt && s.meie) return or_interrupt(s, op + 1);
    ++s.unused;
    end_run(s, Stop::Waiting);
    return op;
}

constexpr Row Rows[] = {
    {Funct3, 0x0f, nothing},    // fence: accesses take place in program order
    {Funct3, 0x100f, nothing},  // fence.i: written instructions are decoded anew at once
    {Whole, 0x00000073, environment_call},
    {Whole, 0x00100073, breakpoint},
    {Whole, 0x30200073, mret},
    {Whole, 0x10500073, wfi},
    {Funct3, 0x1073, csr<Access::Write, false>, Format::Csr},
    {Funct3, 0x2073, csr<Access::Set, false>, Format::Csr},
    {Funct3, 0x3073, csr<Access::Clear, false>, Format::Csr},
    {Funct3, 0x5073, csr<Access::Write, true>, Format::Csr},
    {Funct3, 0x6073, csr<Access::Set, true>, Format::Csr},
    {Funct3, 0x7073, csr<Access::Clear, true>, Format::Csr},
};

}  // namespace

Op* trap(State& s, const Op* op, u32 cause, u32 value) {
    const u32 pc = s.pc_of(op);
    ++s.unused;
    const bool again = s.retired() == s.retired_at_trap && pc == s.mepc;
    s.retired_at_trap = s.retired();
    if (again) end_run(s, Stop::NoHandler);
    return enter(s, pc, cause, value);
}

Op* illegal(State& s, Op* op) {
    return trap(s, op, Illegal, op->insn);
}

Op* or_interrupt(State& s, Op* op) {
    if (!(s.interrupt && s.meie && s.mie)) return op;
    return enter(s, s.pc_of(op), ExternalInterrupt, 0);
}

std::span<const Row> system_rows() {
    return Rows;
}

}  // namespace trnsim::rv32
