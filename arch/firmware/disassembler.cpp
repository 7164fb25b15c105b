#include "arch/firmware/disassembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "arch/firmware/instruction_table.hpp"

namespace trnsim::firmware {
namespace {

constexpr std::array<std::string_view, 32> Integers{
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
    "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
constexpr std::array<std::string_view, 32> Floats{"ft0", "ft1", "ft2",  "ft3",  "ft4", "ft5", "ft6",  "ft7",
                                                  "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
                                                  "fa6", "fa7", "fs2",  "fs3",  "fs4", "fs5", "fs6",  "fs7",
                                                  "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
constexpr std::array<std::string_view, 8> Roundings{"rne", "rtz", "rdn", "rup", "rmm", "5", "6", "dyn"};

struct CsrName {
    std::uint32_t number;
    std::string_view name;
};
constexpr std::array Csrs{
    CsrName{0x001, "fflags"},    CsrName{0x002, "frm"},        CsrName{0x003, "fcsr"},
    CsrName{0x008, "vstart"},    CsrName{0x009, "vxsat"},      CsrName{0x00a, "vxrm"},
    CsrName{0x00f, "vcsr"},      CsrName{0x300, "mstatus"},    CsrName{0x301, "misa"},
    CsrName{0x304, "mie"},       CsrName{0x305, "mtvec"},      CsrName{0x310, "mstatush"},
    CsrName{0x340, "mscratch"},  CsrName{0x341, "mepc"},       CsrName{0x342, "mcause"},
    CsrName{0x343, "mtval"},     CsrName{0x344, "mip"},        CsrName{0xb00, "mcycle"},
    CsrName{0xb02, "minstret"},  CsrName{0xb80, "mcycleh"},    CsrName{0xb82, "minstreth"},
    CsrName{0xc20, "vl"},        CsrName{0xc21, "vtype"},      CsrName{0xc22, "vlenb"},
    CsrName{0xf11, "mvendorid"}, CsrName{0xf12, "marchid"},    CsrName{0xf13, "mimpid"},
    CsrName{0xf14, "mhartid"},   CsrName{0xf15, "mconfigptr"},
};

// Fields of an instruction.
struct Fields {
    std::uint32_t insn;
    std::optional<std::uint32_t> pc;

    std::uint32_t bits(unsigned from, unsigned count) const { return insn >> from & ((1u << count) - 1); }
    std::int32_t signed_bits(unsigned from) const { return static_cast<std::int32_t>(insn) >> from; }
    std::uint32_t rd() const { return bits(7, 5); }
    std::uint32_t rs1() const { return bits(15, 5); }
    std::uint32_t rs2() const { return bits(20, 5); }
    std::int32_t store() const { return (signed_bits(25) * 32) | static_cast<std::int32_t>(bits(7, 5)); }
    // Offsets of branches and jumps.
    std::uint32_t branch() const {
        return (static_cast<std::uint32_t>(signed_bits(31)) << 12 | bits(7, 1) << 11 | bits(25, 6) << 5 |
                bits(8, 4) << 1);
    }
    std::uint32_t jump() const {
        return (static_cast<std::uint32_t>(signed_bits(31)) << 20 | bits(12, 8) << 12 | bits(20, 1) << 11 |
                bits(21, 10) << 1);
    }
};

std::string number(std::int32_t value) {
    return value < 0 ? fmt::format("-{:#x}", -value) : fmt::format("{:#x}", value);
}

std::string target(const Fields& fields, std::uint32_t offset) {
    if (fields.pc) return fmt::format("{:#x}", *fields.pc + offset);
    const auto distance = static_cast<std::int32_t>(offset);
    return fmt::format(".{}{}", distance < 0 ? "" : "+", number(distance));
}

std::string fence_set(std::uint32_t set) {
    std::string text;
    for (unsigned k = 0; k < 4; ++k)
        if ((set >> (3 - k) & 1) != 0) text += "iorw"[k];
    return text.empty() ? "0" : text;
}

// Returns "e32, m1, ta, ma", or a number if reserved bits are set.
std::string vector_type(std::uint32_t vtype) {
    const std::uint32_t sew = vtype >> 3 & 7, lmul = vtype & 7;
    if (vtype >> 8 != 0 || sew > 3 || lmul == 4) return fmt::format("{:#x}", vtype);
    const std::string group =
        lmul < 4 ? fmt::format("m{}", 1u << lmul) : fmt::format("mf{}", 1u << (8 - lmul));
    return fmt::format("e{}, {}, {}, {}", 8u << sew, group, (vtype & 0x40) != 0 ? "ta" : "tu",
                       (vtype & 0x80) != 0 ? "ma" : "mu");
}

// Returns the text of an operand by its letter in the table.
std::string operand(char letter, const Fields& f) {
    switch (letter) {
        case 'd':
            return std::string(Integers[f.rd()]);
        case 's':
            return std::string(Integers[f.rs1()]);
        case 't':
            return std::string(Integers[f.rs2()]);
        case 'D':
            return std::string(Floats[f.rd()]);
        case 'S':
            return std::string(Floats[f.rs1()]);
        case 'T':
            return std::string(Floats[f.rs2()]);
        case 'R':
            return std::string(Floats[f.bits(27, 5)]);
        case 'i':
            return number(f.signed_bits(20));
        case 'l':
            return fmt::format("{}({})", number(f.signed_bits(20)), Integers[f.rs1()]);
        case 'w':
            return fmt::format("{}({})", number(f.store()), Integers[f.rs1()]);
        case 'b':
            return target(f, f.branch());
        case 'j':
            return target(f, f.jump());
        case 'u':
            return fmt::format("{:#x}", f.bits(12, 20));
        case 'h':
            return fmt::format("{:#x}", f.rs2());
        case 'c':
            return csr_name(f.bits(20, 12));
        case 'z':
            return fmt::format("{:#x}", f.rs1());
        case 'r':
            return std::string(Roundings[f.bits(12, 3)]);
        case 'p':
            return fence_set(f.bits(24, 4));
        case 'q':
            return fence_set(f.bits(20, 4));
        case 'V':
            return fmt::format("v{}", f.rd());
        case 'W':
            return fmt::format("v{}", f.rs2());
        case 'X':
            return fmt::format("v{}", f.rs1());
        case 'n':
            return number(static_cast<std::int32_t>(f.rs1() ^ 16) - 16);
        case 'a':
            return fmt::format("({})", Integers[f.rs1()]);
        case '0':
            return "v0";
        case 'e':
            return vector_type(f.bits(20, 11));
        case 'f':
            return vector_type(f.bits(20, 10));
        default:
            return {};
    }
}

}  // namespace

std::string csr_name(std::uint32_t number) {
    const auto row = std::ranges::find(Csrs, number, &CsrName::number);
    return row == Csrs.end() ? fmt::format("{:#x}", number) : std::string(row->name);
}

std::string disassemble(std::uint32_t instruction, std::optional<std::uint32_t> pc) {
    const InstructionRow* row = find_instruction(instruction);
    if (row == nullptr) return fmt::format(".word {:#010x}", instruction);
    const Fields fields{instruction, pc};
    std::string text = row->name;
    const char* separator = " ";
    for (const char letter : row->operands) {
        const bool masked = letter == 'm';
        if (masked && fields.bits(25, 1) != 0) continue;
        text += separator + (masked ? "v0.t" : operand(letter, fields));
        separator = ", ";
    }
    return text;
}

}  // namespace trnsim::firmware
