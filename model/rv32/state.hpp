// The shared parts of the simulator: the state of a core, and a decoded instruction.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "model/rv32/hart.hpp"

namespace trnsim::rv32 {

struct Op;

// Executes an instruction and returns the next one.
using Handler = Op* (*)(State&, Op*);
// Executes a legal vector instruction.
using Kernel = void (*)(State&, const Op&);

struct Op {
    Handler handler;
    Kernel kernel;  // for vector arithmetic under the vtype of `tag`
    std::uint32_t insn;
    std::uint32_t imm;
    std::uint32_t tag;  // State::vector_tag for which the instruction was found legal
    std::uint8_t rd, rs1, rs2, rs3;

    bool masked() const { return (insn >> 25 & 1) == 0; }  // for vector instructions
};
// A value that State::vector_tag never has.
constexpr std::uint32_t UnknownTag = 1;

// Writes to x0 go to a register that nothing reads.
constexpr std::uint8_t NoRegister = 32;

// The exceptions, as in mcause.
enum Cause : std::uint32_t {
    FetchMisaligned = 0,
    FetchFault = 1,
    Illegal = 2,
    Breakpoint = 3,
    LoadMisaligned = 4,
    LoadFault = 5,
    StoreMisaligned = 6,
    StoreFault = 7,
    EnvironmentCall = 11,
};
constexpr std::uint32_t ExternalInterrupt = 0x8000000b;

enum Flag : std::uint32_t { Inexact = 1, Underflow = 2, Overflow = 4, DivideByZero = 8, Invalid = 16 };

struct Vtype {
    bool illegal = true;
    std::uint8_t bits = 0;  // vma, vta, SEW, LMUL as in the CSR

    std::uint32_t sew() const { return bits >> 3 & 7; }  // log2 of its bytes
    // log2 of LMUL, -3 to 3
    int lmul() const { return static_cast<int>((bits & 7) ^ 4) - 4; }
};

struct State {
    explicit State(const Sizes& sizes);

    Sizes sizes;
    std::array<std::uint32_t, 33> x{};
    std::array<std::uint32_t, 32> f{};
    std::vector<std::uint8_t> v;  // 32 registers, one after the other
    std::uint32_t vlenb;

    std::uint32_t vl = 0, vstart = 0;
    Vtype vtype;
    std::uint32_t vxrm = 0, vxsat = 0;
    std::uint32_t frm = 0;
    std::uint32_t fflags = 0;     // without those that the host's arithmetic has collected
    std::uint32_t host_mode = 0;  // rounding mode of the host's arithmetic
    bool fs = false, vs = false;  // mstatus: not off
    bool mie = false, mpie = false, meie = false;
    std::uint32_t mtvec = 0, mscratch = 0, mepc = 0, mcause = 0, mtval = 0;
    std::uint64_t cycle_offset = 0, instret_offset = 0;
    bool interrupt = false;

    // The state on which the legality of vector arithmetic depends besides the instruction; 0: none is legal.
    std::uint32_t vector_tag = 0;
    std::uint32_t scalar = 0;  // operand of the vector instruction in execution

    std::vector<std::uint8_t> tcm;
    std::vector<std::uint8_t> code;  // for each 64 bytes of the TCM: decoded instructions are there
    std::vector<Op> ops;             // for each word of the TCM, and one after its end
    Op lost{};                       // for fetches from absent memory
    std::uint32_t lost_pc = 0;
    Op* next = nullptr;
    Slice slice;

    // The run under way.
    bool running = false;
    std::uint64_t left = 0;
    std::uint64_t executed = 0;  // instructions before this run
    std::uint64_t asked = 0;
    std::uint64_t unused = 0;  // instructions asked for that did not retire
    Stop stop = Stop::Limit;
    std::uint64_t retired_at_trap = ~std::uint64_t{0};

    // In a run this count includes the instruction in execution.
    std::uint64_t retired() const { return executed + asked - left - unused; }

    std::uint32_t pc_of(const Op* op) const {
        return op == &lost ? lost_pc : TRNSIM_TCM_BASE + 4 * static_cast<std::uint32_t>(op - ops.data());
    }
    Op* at(std::uint32_t pc) {
        const std::uint32_t offset = pc - TRNSIM_TCM_BASE;
        if (offset < sizes.tcm_bytes) return &ops[offset / 4];
        lost_pc = pc;
        return &lost;
    }
    // Makes instructions in these bytes of the TCM be decoded anew.
    void written(std::uint32_t offset, std::uint32_t bytes) {
        for (std::uint32_t line = offset / 64; line <= (offset + bytes - 1) / 64; ++line)
            if (code[line] != 0) forget(line);
    }
    void forget(std::uint32_t line);

    // Must be called after changes of the fields that it reads.
    void update_tag() {
        const bool any = vs && vstart == 0 && !vtype.illegal;
        const bool floats = fs && frm < 5;
        vector_tag = any ? 0x80000000U | static_cast<std::uint32_t>(floats) << 8 | vtype.bits : 0;
    }
    bool floats_legal() const { return (vector_tag >> 8 & 1) != 0; }
    std::uint32_t vlmax(Vtype type) const {
        const int log2 = type.lmul() - static_cast<int>(type.sew());
        return log2 >= 0 ? vlenb << log2 : vlenb >> -log2;
    }

    template <class T>
    T* group(std::uint32_t index) {
        return reinterpret_cast<T*>(v.data() + std::size_t{index} * vlenb);
    }
    bool active(std::uint32_t element) const { return (v[element / 8] >> element % 8 & 1) != 0; }  // v0
};

// Decodes the word at its place and executes it.
Op* decode_first(State& state, Op* op);
Op* fetch_from_nowhere(State& state, Op* op);

// Traps; returns the next instruction.
Op* trap(State& state, const Op* op, std::uint32_t cause, std::uint32_t value);
Op* illegal(State& state, Op* op);
// Returns the next instruction, or the handler of an interrupt that may be taken now.
Op* or_interrupt(State& state, Op* op);

// Read and set the flags of the host's arithmetic. During a run the simulator owns the host's floating-point
// environment.
std::uint32_t flags(const State& state);
void set_flags(State& state, std::uint32_t flags);
// Sets the host's rounding mode to `mode`, 0 to 3 as in frm; 4, to nearest with ties away, is no mode of the
// host.
void set_host_mode(State& state, std::uint32_t mode);

}  // namespace trnsim::rv32
