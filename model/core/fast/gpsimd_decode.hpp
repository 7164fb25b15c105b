// The properties of an instruction that the timing of a GpSimd core needs (rtl/gpsimd/gpsimd_decode_pkg.sv,
// gpsimd_vdecode_pkg.sv).
#pragma once

#include <cstdint>

namespace trnsim::tlm::core_fast {

// The unit that executes an instruction. The simulator decides whether the instruction is legal.
enum class GpsimdUnit : std::uint8_t {
    Alu,  // done at once; also illegal ones, ecall, ebreak, vector configuration
    Branch,
    Jump,
    Load,
    Store,
    Multiply,
    Divide,  // integers, floats, square roots
    Float,
    Csr,
    Return,  // mret
    Wait,    // wfi
    Fence,
    Vector,
    VectorMemory,
};

// The way in which the vector unit executes an operation.
enum class VectorKind : std::uint8_t {
    Elements,
    Float,
    Divide,
    FloatDivide,
    Reduce,
    FloatReduce,
    MaskLogic,  // also vmsbf, vmsif, vmsof
    Iota,
    ToScalar,  // vmv.x.s, vfmv.f.s, vcpop, vfirst
    FromScalar,
    SlideUp,
    SlideDown,
    Slide1Up,
    Slide1Down,
    Gather,
    GatherScalar,
    Compress,
    MoveRegisters,
};

struct VectorRow {
    VectorKind kind = VectorKind::Elements;
    bool wide_d = false, wide_x = false;  // elements of vd, elements of vs2 have twice SEW
    std::uint8_t part = 0;                // vs2 has elements of SEW >> part
    bool mask_d = false;                  // vd is a mask
    bool carry = false;                   // v0 is an operand and does not mask
};

struct GpsimdDecoded {
    std::uint32_t insn = 0;
    GpsimdUnit unit = GpsimdUnit::Alu;
    std::uint64_t reads = 0;  // registers, one bit each: x0 to x31, then f0 to f31
    std::uint8_t dest = 0;    // register with the result, 0: none
    bool later = false;       // the result comes after the instruction has left
    VectorRow row;            // for unit Vector

    std::uint64_t writes() const { return dest == 0 ? 0 : std::uint64_t{1} << dest; }
    unsigned rd() const { return insn >> 7 & 31; }
    unsigned rs1() const { return insn >> 15 & 31; }
    unsigned rs2() const { return insn >> 20 & 31; }
    unsigned funct3() const { return insn >> 12 & 7; }
    bool masked() const { return (insn >> 25 & 1) == 0; }  // for vector instructions
};

GpsimdDecoded decode_gpsimd(std::uint32_t insn);

}  // namespace trnsim::tlm::core_fast
