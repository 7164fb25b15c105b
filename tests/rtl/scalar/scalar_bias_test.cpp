// The bias of an activation as a [partitions,1] operand of every type: corners with their fp32 bits written
// out, then elements of all kinds at every byte offset, compared with a decoder of the formats in this file.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "common/random.hpp"
#include "testbench/random_programs/scalar_instructions.hpp"
#include "testbench/random_programs/values.hpp"
#include "tests/rtl/scalar/scalar_bench.hpp"

namespace trnsim::test {
namespace {

using isa::Dtype;
using isa::Instruction;

constexpr std::uint32_t Nan = 0x7fc00000, Infinity = 0x7f800000, MinusInfinity = 0xff800000;
constexpr std::uint32_t MinusZero = 0x80000000;
constexpr std::uint32_t Column = 1024, Result = 64 * 1024;  // byte offsets in a partition

struct Type {
    Dtype dtype;
    unsigned bytes;
    unsigned exponent, fraction;  // number of bits; 0 for an integer
    bool is_signed;
};
constexpr std::array Types{
    Type{Dtype::Fp32, 4, 8, 23, true},   Type{Dtype::Bf16, 2, 8, 7, true},
    Type{Dtype::Fp16, 2, 5, 10, true},   Type{Dtype::Fp8E3m4, 1, 3, 4, true},
    Type{Dtype::Fp8E4m3, 1, 4, 3, true}, Type{Dtype::Fp8E5m2, 1, 5, 2, true},
    Type{Dtype::I8, 1, 0, 0, true},      Type{Dtype::U8, 1, 0, 0, false},
    Type{Dtype::I16, 2, 0, 0, true},     Type{Dtype::U16, 2, 0, 0, false},
    Type{Dtype::I32, 4, 0, 0, true},     Type{Dtype::U32, 4, 0, 0, false},
};

std::uint32_t bits(float value) {
    return std::bit_cast<std::uint32_t>(value);
}

std::uint32_t decode_integer(const Type& type, std::uint32_t element) {
    auto value = static_cast<std::int64_t>(element);
    if (type.is_signed && (element >> (8 * type.bytes - 1)) != 0) value -= std::int64_t{1} << 8 * type.bytes;
    return bits(static_cast<float>(value));
}

std::uint32_t decode_float(const Type& type, std::uint32_t element) {
    const std::uint32_t special = (1u << type.exponent) - 1;
    const std::uint32_t exponent = element >> type.fraction & special;
    const std::uint32_t fraction = element & ((1u << type.fraction) - 1);
    const std::uint32_t sign = (element >> (type.exponent + type.fraction) & 1) << 31;
    if (exponent == special) return fraction != 0 ? Nan : sign | Infinity;
    if (exponent == 0 && type.exponent == 8) return sign;  // subnormals are flushed
    const int bias = static_cast<int>(special / 2), places = static_cast<int>(type.fraction);
    const std::uint32_t significand = fraction | (exponent != 0 ? 1u << type.fraction : 0);
    const int power = static_cast<int>(exponent != 0 ? exponent : 1) - bias - places;
    return sign | bits(static_cast<float>(std::ldexp(significand, power)));
}

std::uint32_t decode(const Type& type, std::uint32_t element) {
    return type.exponent == 0 ? decode_integer(type, element) : decode_float(type, element);
}

class ScalarBias : public testing::Test {
  protected:
    // Returns an activation copy of -0 with a bias of one of the types at a byte offset; -0 adds nothing.
    Instruction of_bias(Dtype dtype, std::uint32_t offset, unsigned result) {
        Tensors t;
        t.partitions = Lanes;
        t.dst.offset = Result + 4 * result;
        Activate how;
        how.bias = {offset, true, dtype};
        return activate(t, how);
    }
    void run(const std::vector<Instruction>& program) {
        for (unsigned lane = 0; lane < Lanes; ++lane) bench_.memories.sbuf[0][lane] = MinusZero;
        bench_.run(program, {}, random_);
    }
    std::uint32_t result(unsigned lane, unsigned index) {
        return bench_.memories.load(false, lane, Result + 4 * index, 4);
    }

    std::mt19937_64 random_ = generator();
    ScalarBench bench_;
};

TEST_F(ScalarBias, Corners) {
    struct Corner {
        Dtype dtype;
        std::uint32_t element, expected;
    };
    static constexpr auto Corners = std::to_array<Corner>({
        {Dtype::Fp32, 0x80000000, MinusZero},
        {Dtype::Fp32, 0x00000001, 0},
        {Dtype::Fp32, 0x807fffff, MinusZero},
        {Dtype::Fp32, 0x00800000, 0x00800000},
        {Dtype::Fp32, 0x7f800000, Infinity},
        {Dtype::Fp32, 0xffc12345, Nan},
        {Dtype::Bf16, 0x8000, MinusZero},
        {Dtype::Bf16, 0x0001, 0},
        {Dtype::Bf16, 0x807f, MinusZero},
        {Dtype::Bf16, 0x0080, 0x00800000},
        {Dtype::Bf16, 0xff7f, 0xff7f0000},
        {Dtype::Bf16, 0xff80, MinusInfinity},
        {Dtype::Bf16, 0xff81, Nan},
        {Dtype::Fp16, 0x8000, MinusZero},
        {Dtype::Fp16, 0x0001, 0x33800000},  // 2^-24
        {Dtype::Fp16, 0x83ff, 0xb87fc000},
        {Dtype::Fp16, 0x7bff, 0x477fe000},  // 65504
        {Dtype::Fp16, 0x7c00, Infinity},
        {Dtype::Fp16, 0xfe01, Nan},
        {Dtype::Fp8E3m4, 0x80, MinusZero},
        {Dtype::Fp8E3m4, 0x01, 0x3c800000},  // 2^-6
        {Dtype::Fp8E3m4, 0x6f, 0x41780000},  // 15.5
        {Dtype::Fp8E3m4, 0xf0, MinusInfinity},
        {Dtype::Fp8E3m4, 0x7f, Nan},
        {Dtype::Fp8E4m3, 0x80, MinusZero},
        {Dtype::Fp8E4m3, 0x01, 0x3b000000},  // 2^-9
        {Dtype::Fp8E4m3, 0xf7, 0xc3700000},  // -240
        {Dtype::Fp8E4m3, 0x78, Infinity},
        {Dtype::Fp8E4m3, 0xff, Nan},
        {Dtype::Fp8E5m2, 0x80, MinusZero},
        {Dtype::Fp8E5m2, 0x83, 0xb8400000},  // -3 * 2^-16
        {Dtype::Fp8E5m2, 0x7b, 0x47600000},  // 57344
        {Dtype::Fp8E5m2, 0xfc, MinusInfinity},
        {Dtype::Fp8E5m2, 0x7d, Nan},
        {Dtype::I8, 0x80, 0xc3000000},
        {Dtype::I8, 0xff, 0xbf800000},
        {Dtype::I8, 0x7f, 0x42fe0000},
        {Dtype::U8, 0xff, 0x437f0000},
        {Dtype::I16, 0x8000, 0xc7000000},
        {Dtype::I16, 0x7fff, 0x46fffe00},
        {Dtype::U16, 0xffff, 0x477fff00},
        {Dtype::I32, 0x80000000, 0xcf000000},
        {Dtype::I32, 0x7fffffff, 0x4f000000},
        {Dtype::I32, 0xffffffff, 0xbf800000},
        {Dtype::I32, 0x01000001, 0x4b800000},  // halfway, to even: rounds down
        {Dtype::I32, 0xfefffffd, 0xcb800002},  // rounds up
        {Dtype::I32, 0, 0},
        {Dtype::U32, 0xffffffff, 0x4f800000},
        {Dtype::U32, 0x80000080, 0x4f000000},
        {Dtype::U32, 0x80000180, 0x4f000002},
    });
    std::vector<Instruction> program;
    for (unsigned k = 0; k < Corners.size(); ++k) {
        for (unsigned lane = 0; lane < Lanes; ++lane)
            bench_.memories.store(false, lane, Column + 4 * k, 4, Corners[k].element);
        program.push_back(of_bias(Corners[k].dtype, Column + 4 * k, k));
    }
    run(program);
    for (unsigned k = 0; k < Corners.size(); ++k) {
        for (unsigned lane = 0; lane < Lanes; lane += 37) {
            EXPECT_EQ(result(lane, k), Corners[k].expected)
                << isa::name_of(Corners[k].dtype) << std::hex << " 0x" << Corners[k].element;
        }
    }
}

// Tests all 256 elements of the 8-bit types, and random elements of the others, many of them special values.
TEST_F(ScalarBias, EveryElementAtEveryOffset) {
    constexpr unsigned Words = 16;
    for (const Type& type : Types) {
        std::vector<Instruction> program;
        const unsigned elements = 4 * Words / type.bytes;
        for (unsigned lane = 0; lane < Lanes; ++lane) {
            for (unsigned k = 0; k < elements; ++k) {
                const std::uint32_t element = type.bytes == 1 ? k * Lanes + lane : random_word(random_);
                bench_.memories.store(false, lane, Column + type.bytes * k, type.bytes, element);
            }
        }
        for (unsigned k = 0; k < elements; ++k)
            program.push_back(of_bias(type.dtype, Column + type.bytes * k, k));
        run(program);
        for (unsigned lane = 0; lane < Lanes; ++lane) {
            for (unsigned k = 0; k < elements; ++k) {
                const std::uint32_t element =
                    bench_.memories.load(false, lane, Column + type.bytes * k, type.bytes);
                ASSERT_EQ(result(lane, k), decode(type, element))
                    << isa::name_of(type.dtype) << std::hex << " 0x" << element << " in lane " << lane;
            }
        }
    }
}

// The scale stays fp32 beside a bias of another type, and a constant scale or bias keeps its value.
TEST_F(ScalarBias, StandsBesideAScaleOfFp32) {
    Tensors t;
    t.partitions = Lanes;
    t.dst.offset = Result;
    Activate how;
    how.scale = {Column, true};
    how.bias = {Column + 6, true, Dtype::Bf16};
    for (unsigned lane = 0; lane < Lanes; ++lane) {
        bench_.memories.store(false, lane, Column, 4, bits(2.0f + static_cast<float>(lane)));
        bench_.memories.store(false, lane, Column + 6, 2, bits(static_cast<float>(lane)) >> 16);
    }
    for (unsigned lane = 0; lane < Lanes; ++lane) bench_.memories.sbuf[0][lane] = bits(3.0f);
    bench_.run(std::vector{activate(t, how)}, {}, random_);
    for (unsigned lane = 0; lane < Lanes; ++lane)
        EXPECT_EQ(result(lane, 0), bits(3 * (2.0f + static_cast<float>(lane)) + static_cast<float>(lane)));
}

// The previous instruction writes the bias into the other half of its words.
TEST_F(ScalarBias, WaitsForTheInstructionThatWritesIt) {
    Tensors t;
    t.partitions = Lanes;
    t.dst.offset = Column + 2;
    t.dst.dtype = Dtype::Fp16;
    Activate add;
    add.bias = {bits(1.5f)};
    bench_.memories.store(false, 0, Column, 4, 0xffffffff);
    run({activate(t, add), of_bias(Dtype::Fp16, Column + 2, 0), of_bias(Dtype::U16, Column, 1)});
    for (unsigned lane = 0; lane < Lanes; ++lane) EXPECT_EQ(result(lane, 0), bits(1.5f));
    EXPECT_EQ(result(0, 1), bits(65535.0f));
}

}  // namespace
}  // namespace trnsim::test
