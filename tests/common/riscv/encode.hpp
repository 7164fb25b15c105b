// Words of RISC-V instructions by format.
#pragma once

#include <cstdint>

namespace trnsim::test::encode {

constexpr std::uint32_t i_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t rd,
                               std::uint32_t rs1, std::uint32_t imm) {
    return imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

constexpr std::uint32_t s_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t rs1,
                               std::uint32_t rs2, std::uint32_t imm) {
    return (imm >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (imm & 31) << 7 | opcode;
}

constexpr std::uint32_t r_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t funct7,
                               std::uint32_t rd, std::uint32_t rs1, std::uint32_t rs2) {
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

constexpr std::uint32_t branch(std::uint32_t funct3, std::uint32_t rs1, std::uint32_t rs2,
                               std::int32_t offset) {
    const auto imm = static_cast<std::uint32_t>(offset);
    return (imm >> 12 & 1) << 31 | (imm >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 |
           (imm >> 1 & 15) << 8 | (imm >> 11 & 1) << 7 | 0x63;
}

// The two instructions that load any constant.
constexpr std::uint32_t lui(std::uint32_t rd, std::uint32_t value) {
    return ((value + 0x800) & 0xfffff000) | rd << 7 | 0x37;
}
constexpr std::uint32_t addi(std::uint32_t rd, std::uint32_t rs1, std::uint32_t value) {
    return i_type(0x13, 0, rd, rs1, value & 0xfff);
}

constexpr std::uint32_t csrrw(std::uint32_t rd, std::uint32_t csr, std::uint32_t rs1) {
    return i_type(0x73, 1, rd, rs1, csr);
}
constexpr std::uint32_t csrrs(std::uint32_t rd, std::uint32_t csr, std::uint32_t rs1) {
    return i_type(0x73, 2, rd, rs1, csr);
}
constexpr std::uint32_t vsetvli(std::uint32_t rd, std::uint32_t rs1, std::uint32_t sew, std::uint32_t lmul) {
    return i_type(0x57, 7, rd, rs1, sew << 3 | lmul);
}
// `category` is funct3 of OP-V.
constexpr std::uint32_t vector_op(std::uint32_t funct6, std::uint32_t category, std::uint32_t vd,
                                  std::uint32_t vs2, std::uint32_t vs1, std::uint32_t vm) {
    return funct6 << 26 | vm << 25 | vs2 << 20 | vs1 << 15 | category << 12 | vd << 7 | 0x57;
}

constexpr std::uint32_t Mret = 0x30200073;
constexpr std::uint32_t Wfi = 0x10500073;

}  // namespace trnsim::test::encode
