#include "arch/firmware/instruction_table.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "arch/firmware/vector_instructions.hpp"

namespace trnsim::firmware {
namespace {

constexpr std::uint32_t Opcode = 0x7f, Funct3 = 0x707f, Funct7 = 0xfe00707f, Rounded = 0xfe00007f,
                        Unary = 0xfff0007f, UnaryFunct3 = 0xfff0707f, Fused = 0x0600007f, All = 0xffffffff;

struct Scalar {
    std::uint32_t mask, match;
    const char *name, *operands;
};
constexpr std::array Scalars{
    Scalar{Opcode, 0x37, "lui", "du"},
    Scalar{Opcode, 0x17, "auipc", "du"},
    Scalar{Opcode, 0x6f, "jal", "dj"},
    Scalar{Funct3, 0x67, "jalr", "dl"},
    Scalar{Funct3, 0x63, "beq", "stb"},
    Scalar{Funct3, 0x1063, "bne", "stb"},
    Scalar{Funct3, 0x4063, "blt", "stb"},
    Scalar{Funct3, 0x5063, "bge", "stb"},
    Scalar{Funct3, 0x6063, "bltu", "stb"},
    Scalar{Funct3, 0x7063, "bgeu", "stb"},
    Scalar{Funct3, 0x03, "lb", "dl"},
    Scalar{Funct3, 0x1003, "lh", "dl"},
    Scalar{Funct3, 0x2003, "lw", "dl"},
    Scalar{Funct3, 0x4003, "lbu", "dl"},
    Scalar{Funct3, 0x5003, "lhu", "dl"},
    Scalar{Funct3, 0x23, "sb", "tw"},
    Scalar{Funct3, 0x1023, "sh", "tw"},
    Scalar{Funct3, 0x2023, "sw", "tw"},
    Scalar{Funct3, 0x13, "addi", "dsi"},
    Scalar{Funct3, 0x2013, "slti", "dsi"},
    Scalar{Funct3, 0x3013, "sltiu", "dsi"},
    Scalar{Funct3, 0x4013, "xori", "dsi"},
    Scalar{Funct3, 0x6013, "ori", "dsi"},
    Scalar{Funct3, 0x7013, "andi", "dsi"},
    Scalar{Funct7, 0x1013, "slli", "dsh"},
    Scalar{Funct7, 0x5013, "srli", "dsh"},
    Scalar{Funct7, 0x40005013, "srai", "dsh"},
    Scalar{Funct7, 0x33, "add", "dst"},
    Scalar{Funct7, 0x40000033, "sub", "dst"},
    Scalar{Funct7, 0x1033, "sll", "dst"},
    Scalar{Funct7, 0x2033, "slt", "dst"},
    Scalar{Funct7, 0x3033, "sltu", "dst"},
    Scalar{Funct7, 0x4033, "xor", "dst"},
    Scalar{Funct7, 0x5033, "srl", "dst"},
    Scalar{Funct7, 0x40005033, "sra", "dst"},
    Scalar{Funct7, 0x6033, "or", "dst"},
    Scalar{Funct7, 0x7033, "and", "dst"},
    Scalar{Funct7, 0x02000033, "mul", "dst"},
    Scalar{Funct7, 0x02001033, "mulh", "dst"},
    Scalar{Funct7, 0x02002033, "mulhsu", "dst"},
    Scalar{Funct7, 0x02003033, "mulhu", "dst"},
    Scalar{Funct7, 0x02004033, "div", "dst"},
    Scalar{Funct7, 0x02005033, "divu", "dst"},
    Scalar{Funct7, 0x02006033, "rem", "dst"},
    Scalar{Funct7, 0x02007033, "remu", "dst"},
    Scalar{Funct3, 0x0f, "fence", "pq"},
    Scalar{Funct3, 0x100f, "fence.i", ""},
    Scalar{All, 0x00000073, "ecall", ""},
    Scalar{All, 0x00100073, "ebreak", ""},
    Scalar{All, 0x30200073, "mret", ""},
    Scalar{All, 0x10500073, "wfi", ""},
    Scalar{Funct3, 0x1073, "csrrw", "dcs"},
    Scalar{Funct3, 0x2073, "csrrs", "dcs"},
    Scalar{Funct3, 0x3073, "csrrc", "dcs"},
    Scalar{Funct3, 0x5073, "csrrwi", "dcz"},
    Scalar{Funct3, 0x6073, "csrrsi", "dcz"},
    Scalar{Funct3, 0x7073, "csrrci", "dcz"},
    Scalar{Funct3, 0x2007, "flw", "Dl"},
    Scalar{Funct3, 0x2027, "fsw", "Tw"},
    Scalar{Fused, 0x43, "fmadd.s", "DSTRr"},
    Scalar{Fused, 0x47, "fmsub.s", "DSTRr"},
    Scalar{Fused, 0x4b, "fnmsub.s", "DSTRr"},
    Scalar{Fused, 0x4f, "fnmadd.s", "DSTRr"},
    Scalar{Rounded, 0x53, "fadd.s", "DSTr"},
    Scalar{Rounded, 0x08000053, "fsub.s", "DSTr"},
    Scalar{Rounded, 0x10000053, "fmul.s", "DSTr"},
    Scalar{Rounded, 0x18000053, "fdiv.s", "DSTr"},
    Scalar{Unary, 0x58000053, "fsqrt.s", "DSr"},
    Scalar{Funct7, 0x20000053, "fsgnj.s", "DST"},
    Scalar{Funct7, 0x20001053, "fsgnjn.s", "DST"},
    Scalar{Funct7, 0x20002053, "fsgnjx.s", "DST"},
    Scalar{Funct7, 0x28000053, "fmin.s", "DST"},
    Scalar{Funct7, 0x28001053, "fmax.s", "DST"},
    Scalar{Funct7, 0xa0000053, "fle.s", "dST"},
    Scalar{Funct7, 0xa0001053, "flt.s", "dST"},
    Scalar{Funct7, 0xa0002053, "feq.s", "dST"},
    Scalar{Unary, 0xc0000053, "fcvt.w.s", "dSr"},
    Scalar{Unary, 0xc0100053, "fcvt.wu.s", "dSr"},
    Scalar{Unary, 0xd0000053, "fcvt.s.w", "Dsr"},
    Scalar{Unary, 0xd0100053, "fcvt.s.wu", "Dsr"},
    Scalar{UnaryFunct3, 0xe0000053, "fmv.x.w", "dS"},
    Scalar{UnaryFunct3, 0xe0001053, "fclass.s", "dS"},
    Scalar{UnaryFunct3, 0xf0000053, "fmv.w.x", "Ds"},
    Scalar{0x8000707f, 0x7057, "vsetvli", "dse"},
    Scalar{0xc000707f, 0xc0007057, "vsetivli", "dzf"},
    Scalar{Funct7, 0x80007057, "vsetvl", "dst"},
};

using Rows = std::vector<InstructionRow>;

Rows make_rows() {
    Rows rows;
    for (const Scalar& scalar : Scalars)
        rows.push_back({scalar.mask, scalar.match, scalar.name, scalar.operands});
    add_vector_instructions(rows);
    return rows;
}

}  // namespace

const InstructionRow* find_instruction(std::uint32_t code) {
    static const Rows rows = make_rows();
    const auto row = std::ranges::find_if(
        rows, [code](const InstructionRow& row) { return (code & row.mask) == row.match; });
    return row == rows.end() ? nullptr : &*row;
}

}  // namespace trnsim::firmware
