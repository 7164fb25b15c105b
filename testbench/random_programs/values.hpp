// Test data: every type, and memory contents in which special values are common.
#pragma once

#include <array>
#include <random>

#include "isa/isa_tables.hpp"

namespace trnsim::random_programs {

inline constexpr std::array AllDtypes{
    isa::Dtype::I8,      isa::Dtype::U8,      isa::Dtype::I16,    isa::Dtype::U16,  isa::Dtype::Bf16,
    isa::Dtype::Fp16,    isa::Dtype::I32,     isa::Dtype::U32,    isa::Dtype::Fp32, isa::Dtype::Tf32,
    isa::Dtype::Fp8E3m4, isa::Dtype::Fp8E4m3, isa::Dtype::Fp8E5m2};

inline constexpr std::array FloatDtypes{isa::Dtype::Bf16,   isa::Dtype::Fp16,    isa::Dtype::Tf32,
                                        isa::Dtype::Fp32,   isa::Dtype::Fp8E3m4, isa::Dtype::Fp8E4m3,
                                        isa::Dtype::Fp8E5m2};

// Operations on fp32 values, the ones of them that reductions support, and operations on bits.
inline constexpr std::array AllOps{
    isa::AluOp::Bypass,     isa::AluOp::Add,          isa::AluOp::Subtract,   isa::AluOp::Multiply,
    isa::AluOp::Max,        isa::AluOp::Min,          isa::AluOp::IsEqual,    isa::AluOp::NotEqual,
    isa::AluOp::Greater,    isa::AluOp::GreaterEqual, isa::AluOp::Less,       isa::AluOp::LessEqual,
    isa::AluOp::LogicalAnd, isa::AluOp::LogicalOr,    isa::AluOp::LogicalXor, isa::AluOp::LogicalNot,
    isa::AluOp::Abs,        isa::AluOp::Reciprocal,   isa::AluOp::AbsMax,     isa::AluOp::AbsMin,
    isa::AluOp::Square,     isa::AluOp::Relu};
inline constexpr std::array ReducingOps{isa::AluOp::Add,       isa::AluOp::Subtract,   isa::AluOp::Multiply,
                                        isa::AluOp::Max,       isa::AluOp::Min,        isa::AluOp::AbsMax,
                                        isa::AluOp::AbsMin,    isa::AluOp::LogicalAnd, isa::AluOp::LogicalOr,
                                        isa::AluOp::LogicalXor};
inline constexpr std::array BitOps{isa::AluOp::BitwiseAnd, isa::AluOp::BitwiseOr, isa::AluOp::BitwiseXor,
                                   isa::AluOp::BitwiseNot, isa::AluOp::ShiftLeft, isa::AluOp::ShiftRight};
inline constexpr std::array ReducingBitOps{isa::AluOp::BitwiseAnd, isa::AluOp::BitwiseOr,
                                           isa::AluOp::BitwiseXor};
inline constexpr std::array Integers{isa::Dtype::I8,  isa::Dtype::U8,  isa::Dtype::I16,
                                     isa::Dtype::U16, isa::Dtype::I32, isa::Dtype::U32};

// Returns a word that reads as something interesting in most types: random bits, fp32 specials, small
// integers, values near 1.
inline std::uint32_t random_word(std::mt19937_64& random) {
    static constexpr std::array<std::uint32_t, 14> Special{
        0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, 0x00000001,
        0x807fffff, 0x00800000, 0x7f7fffff, 0x3f800000, 0xbf800000, 0x3f803f80, 0x80008000};
    const std::uint64_t bits = random();
    switch (bits >> 32 & 7) {
        case 0:
            return Special[(bits >> 40) % Special.size()];
        case 1:
            return static_cast<std::uint32_t>(static_cast<std::int32_t>(bits % 512) - 256);
        case 2:
        case 3:
        case 4:
            return 0x3c000000 + (static_cast<std::uint32_t>(bits) & 0x87ffffff);
        default:
            return static_cast<std::uint32_t>(bits);
    }
}

}  // namespace trnsim::random_programs
