// Writes a random program, instruction by instruction.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/common/riscv/encode.hpp"
#include "tests/common/riscv/random_program.hpp"

namespace trnsim::test {

// The TCM holds code and then data up to its end, so that accesses after the end fault. The data in the slice
// lies at the slice's end, too.
constexpr std::uint32_t CodeBytes = 0x8000;
constexpr std::uint32_t TcmData = TcmBase + CodeBytes;
constexpr std::uint32_t SliceData = SliceBase + SliceBytes - 0x4000;
constexpr std::uint32_t ToHost = TcmBase + 0x7fc0;

// Registers with a fixed purpose; x30 and x31 belong to the trap handler.
enum : std::uint32_t {
    TcmPointer = 8,
    SlicePointer = 9,
    Counter = 27,
    Address = 28,
    Stride = 29,
    Link = 30,
    Scratch = 31
};

constexpr std::array<std::uint32_t, 24> Corners = {
    0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffbfffff, 0x00000001,
    0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000,
    0x3f7fffff, 0x4b000001, 0x4f000000, 0xcf000000, 0x4effffff, 0x33800000, 0xffffffff, 0x7fffffff};

class ProgramWriter {
  public:
    ProgramWriter(std::mt19937_64& generator, const Mix& mix, std::uint32_t vlen)
        : generator_(generator), mix_(mix), vlen_(vlen) {}

    Program write(std::size_t instructions);

  private:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(generator_() % n); }
    bool chance(std::uint32_t percent) { return below(100) < percent; }
    std::uint32_t word() { return static_cast<std::uint32_t>(generator_()); }
    template <typename T, std::size_t N>
    T pick(const std::array<T, N>& values) {
        return values[below(N)];
    }
    std::uint32_t value() {
        switch (below(8)) {
            case 0:
                return pick(Corners);
            case 1:
                return below(64);
            case 2:
                return 0 - below(64);
            case 3:
                return (word() & 0x807fffff) | (120 + below(16)) << 23;  // floats near one
            case 4:  // floats with products near the smallest normal number or the largest
                return (word() & 0x807fffff) | ((chance(50) ? 60 : 188) + below(6)) << 23;
            case 5:  // next to a power of two
                return ((word() & 0xff800000) - below(3)) & ~0x40000000U;
            default:
                return word();
        }
    }

    void emit(std::uint32_t insn) { code_.push_back(insn); }
    std::uint32_t here() const { return TcmBase + static_cast<std::uint32_t>(code_.size()) * 4; }
    void i_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t rd, std::uint32_t rs1,
                std::uint32_t imm) {
        emit(encode::i_type(opcode, funct3, rd, rs1, imm));
    }
    void s_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t rs1, std::uint32_t rs2,
                std::uint32_t imm) {
        emit(encode::s_type(opcode, funct3, rs1, rs2, imm));
    }
    void r_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t funct7, std::uint32_t rd,
                std::uint32_t rs1, std::uint32_t rs2) {
        emit(encode::r_type(opcode, funct3, funct7, rd, rs1, rs2));
    }
    void branch(std::uint32_t funct3, std::uint32_t rs1, std::uint32_t rs2, std::int32_t offset) {
        emit(encode::branch(funct3, rs1, rs2, offset));
    }
    void load_immediate(std::uint32_t rd, std::uint32_t immediate) {
        emit(encode::lui(rd, immediate));
        emit(encode::addi(rd, rd, immediate));
    }
    void csr(std::uint32_t funct3, std::uint32_t rd, std::uint32_t number, std::uint32_t rs1) {
        i_type(0x73, funct3, rd, rs1, number);
    }

    std::uint32_t source() { return below(32); }
    std::uint32_t destination() {
        const std::uint32_t rd = below(27);
        return rd == TcmPointer || rd == SlicePointer ? 0 : rd;
    }

    void start();
    void finish();
    void instruction();
    void integer();
    static std::uint32_t harmless(std::uint32_t insn, std::uint32_t rd);
    void memory();
    void control();
    void floating();
    void configure();
    void vector_integer();
    void vector_float();
    void vector_memory();
    void near_indices(std::uint32_t vs2, std::uint32_t width);
    void segments();
    void streams();
    void set_type(std::uint32_t sew, std::uint32_t lmul);
    void arithmetic(std::uint32_t category, std::uint32_t funct6, std::uint32_t vs1_code);
    std::uint32_t vector_register(std::uint32_t size) {
        size = std::clamp<std::uint32_t>(size, 1, 8);
        return chance(97) ? below(32 / size) * size : below(32);
    }
    // Returns the registers of a group at LMUL times 2^shift.
    std::uint32_t group(int shift) const {
        const int lmul = (lmul_ >= 4 ? static_cast<int>(lmul_) - 8 : static_cast<int>(lmul_)) + shift;
        return lmul <= 0 ? 1 : 1U << lmul;
    }

    std::mt19937_64& generator_;
    Mix mix_;
    std::uint32_t vlen_;
    std::vector<std::uint32_t> code_;
    std::uint32_t sew_ = 2, lmul_ = 0;
    std::uint32_t handler_ = 0;
};

}  // namespace trnsim::test
