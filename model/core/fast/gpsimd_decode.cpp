#include "model/core/fast/gpsimd_decode.hpp"

#include <array>

namespace trnsim::tlm::core_fast {
namespace {

using u32 = std::uint32_t;
using Kind = VectorKind;

constexpr unsigned Floats = 32;  // the first floating-point register

// The places of operands and result of a major opcode. 1: an integer register, 2: a floating-point one.
struct Operands {
    GpsimdUnit unit = GpsimdUnit::Alu;
    std::uint8_t first = 0, second = 0, third = 0, result = 0;
};

u32 funct3_of(u32 insn) {
    return insn >> 12 & 7;
}

bool rounds(u32 insn) {
    return funct3_of(insn) != 5 && funct3_of(insn) != 6;
}

// Returns whether the decoder knows a floating-point operation.
bool knows_float(u32 insn) {
    const u32 funct3 = funct3_of(insn), rs2 = insn >> 20 & 31;
    switch (insn >> 25) {
        case 0x00:
        case 0x04:
        case 0x08:
        case 0x0c:
            return rounds(insn);
        case 0x2c:
            return rounds(insn) && rs2 == 0;
        case 0x10:
        case 0x50:
            return funct3 <= 2;
        case 0x14:
            return funct3 <= 1;
        case 0x60:
        case 0x68:
            return rounds(insn) && rs2 <= 1;
        case 0x70:
            return funct3 <= 1 && rs2 == 0;
        case 0x78:
            return funct3 == 0 && rs2 == 0;
        default:
            return false;
    }
}

// Returns whether the decoder knows the instruction; an unknown one reads and writes no register.
bool knows(u32 insn) {
    const u32 funct3 = funct3_of(insn), funct7 = insn >> 25;
    switch (insn & 0x7f) {
        case 0x67:
            return funct3 == 0;
        case 0x63:
            return funct3 >> 1 != 1;
        case 0x03:
            return funct3 != 3 && funct3 < 6;
        case 0x23:
            return funct3 <= 2;
        case 0x13:
            return (funct3 != 1 && funct3 != 5) || funct7 == 0 || (funct3 == 5 && funct7 == 0x20);
        case 0x33:
            return funct7 <= 1 || (funct7 == 0x20 && (funct3 == 0 || funct3 == 5));
        case 0x0f:
            return funct3 <= 1;
        case 0x07:
        case 0x27:
            return funct3 == 0 || funct3 == 2 || funct3 == 5 || funct3 == 6;
        case 0x43:
        case 0x47:
        case 0x4b:
        case 0x4f:
            return rounds(insn) && (funct7 & 3) == 0;
        case 0x53:
            return knows_float(insn);
        case 0x57:  // vsetvl has no bits between its code and the registers
            return funct3 != 7 || insn >> 30 != 2 || (funct7 & 31) == 0;
        default:
            return true;
    }
}

Operands float_operands(u32 insn) {
    switch (insn >> 25) {
        case 0x0c:
            return {GpsimdUnit::Divide, 2, 2, 0, 2};
        case 0x2c:
            return {GpsimdUnit::Divide, 2, 0, 0, 2};
        case 0x50:  // comparisons
            return {GpsimdUnit::Float, 2, 2, 0, 1};
        case 0x60:  // to integers
        case 0x70:
            return {GpsimdUnit::Float, 2, 0, 0, 1};
        case 0x68:  // from integers
        case 0x78:
            return {GpsimdUnit::Float, 1, 0, 0, 2};
        default:
            return {GpsimdUnit::Float, 2, 2, 0, 2};
    }
}

Operands vector_operands(u32 insn) {
    const bool from_element = insn >> 26 == 0x10;  // vmv.x.s and the like
    switch (insn >> 12 & 7) {
        case 1:
            return {GpsimdUnit::Vector, 0, 0, 0, static_cast<std::uint8_t>(from_element ? 2 : 0)};
        case 2:
            return {GpsimdUnit::Vector, 0, 0, 0, static_cast<std::uint8_t>(from_element ? 1 : 0)};
        case 4:
        case 6:
            return {GpsimdUnit::Vector, 1};
        case 5:
            return {GpsimdUnit::Vector, 2};
        case 7: {  // vsetvli, vsetivli, vsetvl
            const bool immediate = insn >> 30 == 3, by_register = insn >> 30 == 2;
            return {GpsimdUnit::Alu, static_cast<std::uint8_t>(immediate ? 0 : 1),
                    static_cast<std::uint8_t>(by_register ? 1 : 0), 0, 1};
        }
        default:
            return {GpsimdUnit::Vector};
    }
}

Operands memory_operands(u32 insn, bool store) {
    if ((insn >> 12 & 7) != 2)
        return {GpsimdUnit::VectorMemory, 1, static_cast<std::uint8_t>((insn >> 26 & 3) == 2)};
    if (store) return {GpsimdUnit::Store, 1, 2};
    return {GpsimdUnit::Load, 1, 0, 0, 2};
}

Operands system_operands(u32 insn) {
    constexpr u32 Mret = 0x30200073, Wfi = 0x10500073;
    if (insn == Mret) return {GpsimdUnit::Return};
    if (insn == Wfi) return {GpsimdUnit::Wait};
    const u32 funct3 = insn >> 12 & 7;
    if ((funct3 & 3) == 0) return {};
    return {GpsimdUnit::Csr, static_cast<std::uint8_t>(funct3 < 4), 0, 0, 1};
}

Operands operands_of(u32 insn) {
    switch (insn & 0x7f) {
        case 0x37:
        case 0x17:
            return {GpsimdUnit::Alu, 0, 0, 0, 1};
        case 0x6f:
            return {GpsimdUnit::Jump, 0, 0, 0, 1};
        case 0x67:
            return {GpsimdUnit::Jump, 1, 0, 0, 1};
        case 0x63:
            return {GpsimdUnit::Branch, 1, 1};
        case 0x03:
            return {GpsimdUnit::Load, 1, 0, 0, 1};
        case 0x23:
            return {GpsimdUnit::Store, 1, 1};
        case 0x13:
            return {GpsimdUnit::Alu, 1, 0, 0, 1};
        case 0x33: {
            const GpsimdUnit unit = insn >> 25 != 1         ? GpsimdUnit::Alu
                                    : (insn >> 14 & 1) != 0 ? GpsimdUnit::Divide
                                                            : GpsimdUnit::Multiply;
            return {unit, 1, 1, 0, 1};
        }
        case 0x0f:
            return {GpsimdUnit::Fence};
        case 0x73:
            return system_operands(insn);
        case 0x07:
            return memory_operands(insn, false);
        case 0x27:
            return memory_operands(insn, true);
        case 0x43:
        case 0x47:
        case 0x4b:
        case 0x4f:
            return {GpsimdUnit::Float, 2, 2, 2, 2};
        case 0x53:
            return float_operands(insn);
        case 0x57:
            return vector_operands(insn);
        default:
            return {};
    }
}

VectorRow integer_row(u32 funct6, bool is_vv, bool is_vi) {
    switch (funct6) {
        case 0x0c:
            return {is_vv ? Kind::Gather : Kind::GatherScalar};
        case 0x0e:
            return {is_vv ? Kind::Gather : Kind::SlideUp};
        case 0x0f:
            return {Kind::SlideDown};
        case 0x10:
        case 0x12:
        case 0x17:
            return {.carry = true};
        case 0x11:
        case 0x13:
            return {.mask_d = true, .carry = true};
        case 0x27:
            return {is_vi ? Kind::MoveRegisters : Kind::Elements};
        case 0x30:
        case 0x31:
            return {.kind = Kind::Reduce, .wide_d = true};
        default:
            return {.wide_x = funct6 >= 0x2c && funct6 <= 0x2f, .mask_d = funct6 >= 0x18 && funct6 <= 0x1f};
    }
}

VectorRow multiply_row(u32 funct6, u32 vs1, bool is_vv) {
    if (funct6 <= 0x07) return {Kind::Reduce};
    if (funct6 >= 0x18 && funct6 <= 0x1f) return {Kind::MaskLogic};
    if (funct6 >= 0x20 && funct6 <= 0x23) return {Kind::Divide};
    if (funct6 >= 0x30) return {.wide_d = true, .wide_x = funct6 >= 0x34 && funct6 <= 0x37};
    switch (funct6) {
        case 0x0e:
            return {Kind::Slide1Up};
        case 0x0f:
            return {Kind::Slide1Down};
        case 0x10:
            return {is_vv ? Kind::ToScalar : Kind::FromScalar};
        case 0x12:
            return {.part = static_cast<std::uint8_t>((vs1 >> 1 & 3) == 3 ? 1 : 2)};
        case 0x14:  // vid goes beat by beat like viota
            return {vs1 <= 3 ? Kind::MaskLogic : vs1 == 16 ? Kind::Iota : Kind::Elements};
        case 0x17:
            return {Kind::Compress};
        default:
            return {};
    }
}

VectorRow float_row(u32 funct6, u32 vs1, bool is_vv) {
    switch (funct6) {
        case 0x01:
        case 0x03:
        case 0x05:
        case 0x07:
            return {Kind::FloatReduce};
        case 0x0e:
            return {Kind::Slide1Up};
        case 0x0f:
            return {Kind::Slide1Down};
        case 0x10:
            return {is_vv ? Kind::ToScalar : Kind::FromScalar};
        case 0x12:
            return {.kind = Kind::Float, .wide_d = vs1 >> 3 == 1, .wide_x = vs1 >> 3 == 2};
        case 0x13:
            return {vs1 == 0 ? Kind::FloatDivide : Kind::Float};
        case 0x17:
            return {.carry = true};
        case 0x20:
        case 0x21:
            return {Kind::FloatDivide};
        default:
            return {.kind = Kind::Float, .mask_d = funct6 >= 0x18 && funct6 <= 0x1f};
    }
}

VectorRow row_of(const GpsimdDecoded& decoded) {
    const u32 funct3 = decoded.funct3(), funct6 = decoded.insn >> 26;
    const bool is_vv = funct3 <= 2;
    if (funct3 == 2 || funct3 == 6) return multiply_row(funct6, decoded.rs1(), is_vv);
    if (funct3 == 1 || funct3 == 5) return float_row(funct6, decoded.rs1(), is_vv);
    return integer_row(funct6, is_vv, funct3 == 3);
}

}  // namespace

GpsimdDecoded decode_gpsimd(u32 insn) {
    GpsimdDecoded decoded;
    decoded.insn = insn;
    const Operands operands = knows(insn) ? operands_of(insn) : Operands{};
    decoded.unit = operands.unit;
    const auto read = [&](std::uint8_t file, unsigned place) {
        if (file != 0) decoded.reads |= std::uint64_t{1} << ((insn >> place & 31) + (file == 2 ? Floats : 0));
    };
    read(operands.first, 15);
    read(operands.second, 20);
    read(operands.third, 27);
    if (operands.result != 0)
        decoded.dest = static_cast<std::uint8_t>(decoded.rd() + (operands.result == 2 ? Floats : 0));
    switch (operands.unit) {
        case GpsimdUnit::Load:
        case GpsimdUnit::Multiply:
        case GpsimdUnit::Divide:
        case GpsimdUnit::Float:
            decoded.later = true;
            break;
        case GpsimdUnit::Vector:
            decoded.later = true;
            decoded.row = row_of(decoded);
            break;
        default:
            break;
    }
    return decoded;
}

}  // namespace trnsim::tlm::core_fast
