// Firmware is compiled without the instruction set's headers; this checks that its codes are the same.
#include <gtest/gtest.h>

#include "firmware/include/trnsim/microcode.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::firmware {
namespace {

template <class A, class B>
constexpr bool same(A a, B b) {
    return static_cast<std::uint32_t>(a) == static_cast<std::uint32_t>(b);
}

TEST(FirmwareCodes, AreThoseOfTheInstructionSet) {
    EXPECT_TRUE(same(Dtype::I8, isa::Dtype::I8) && same(Dtype::U8, isa::Dtype::U8));
    EXPECT_TRUE(same(Dtype::I16, isa::Dtype::I16) && same(Dtype::U16, isa::Dtype::U16));
    EXPECT_TRUE(same(Dtype::I32, isa::Dtype::I32) && same(Dtype::U32, isa::Dtype::U32));
    EXPECT_TRUE(same(Dtype::Bf16, isa::Dtype::Bf16) && same(Dtype::Fp32, isa::Dtype::Fp32));
#define SAME(name) same(AluOp::name, isa::AluOp::name)
    EXPECT_TRUE(SAME(Bypass));
    EXPECT_TRUE(SAME(Add));
    EXPECT_TRUE(SAME(Subtract));
    EXPECT_TRUE(SAME(Multiply));
    EXPECT_TRUE(SAME(Max));
    EXPECT_TRUE(SAME(Min));
    EXPECT_TRUE(SAME(IsEqual));
    EXPECT_TRUE(SAME(NotEqual));
    EXPECT_TRUE(SAME(Greater));
    EXPECT_TRUE(SAME(GreaterEqual));
    EXPECT_TRUE(SAME(Less));
    EXPECT_TRUE(SAME(LessEqual));
    EXPECT_TRUE(SAME(LogicalAnd));
    EXPECT_TRUE(SAME(LogicalOr));
    EXPECT_TRUE(SAME(LogicalXor));
    EXPECT_TRUE(SAME(LogicalNot));
    EXPECT_TRUE(SAME(BitwiseAnd));
    EXPECT_TRUE(SAME(BitwiseOr));
    EXPECT_TRUE(SAME(BitwiseXor));
    EXPECT_TRUE(SAME(BitwiseNot));
    EXPECT_TRUE(SAME(ShiftLeft));
    EXPECT_TRUE(SAME(ShiftRight));
    EXPECT_TRUE(SAME(Abs));
    EXPECT_TRUE(SAME(Reciprocal));
    EXPECT_TRUE(SAME(Rsqrt));
    EXPECT_TRUE(SAME(Power));
    EXPECT_TRUE(SAME(AbsMax));
    EXPECT_TRUE(SAME(AbsMin));
    EXPECT_TRUE(SAME(Square));
    EXPECT_TRUE(SAME(Relu));
#undef SAME
}

}  // namespace
}  // namespace trnsim::firmware
