// Compares the host reference with MPFR. The reference stands for the hardware in every bulk comparison, so
// flushing after rounding, rounding and signs are checked here.
#include "arch/numerics/arithmetic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "arch/numerics/exact.hpp"
#include "arch/numerics/format.hpp"
#include "arch/numerics/operands.hpp"
#include "common/random.hpp"

namespace trnsim {
namespace {

using numerics::bits_of;
using numerics::float_of;

void expect_fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    ASSERT_EQ(bits_of(numerics::fma_step(float_of(a), float_of(b), float_of(c))),
              bits_of(test::exact_fma(float_of(a), float_of(b), float_of(c))))
        << std::hex << a << " * " << b << " + " << c;
}

void expect_pair(std::uint32_t a, std::uint32_t b) {
    const float x = float_of(a);
    const float y = float_of(b);
    ASSERT_EQ(bits_of(numerics::add(x, y)), bits_of(test::exact_add(x, y))) << std::hex << a << " + " << b;
    ASSERT_EQ(bits_of(numerics::subtract(x, y)), bits_of(test::exact_add(x, -y)))
        << std::hex << a << " - " << b;
    ASSERT_EQ(bits_of(numerics::multiply(x, y)), bits_of(test::exact_multiply(x, y)))
        << std::hex << a << " * " << b;
}

TEST(Arithmetic, Corners) {
    for (const std::uint32_t a : test::Corners) {
        for (const std::uint32_t b : test::Corners) {
            ASSERT_NO_FATAL_FAILURE(expect_pair(a, b));
            for (const std::uint32_t c : test::Corners) ASSERT_NO_FATAL_FAILURE(expect_fma(a, b, c));
        }
    }
}

// A product just below 2^-126 that rounds up to it is not flushed; 2^-126 less one unit is.
TEST(Arithmetic, TininessIsDetectedAfterRounding) {
    const float factor = 0x1.fffffep-1f;
    EXPECT_EQ(numerics::multiply(factor, 0x1.000002p-126f), 0x1p-126f);
    EXPECT_EQ(bits_of(numerics::multiply(factor, 0x1p-126f)), 0u);
    EXPECT_EQ(bits_of(numerics::fma_step(factor, -0x1p-126f, 0.0f)), 0x80000000u);
}

TEST(Arithmetic, RandomNearTheFlushAndOverflowBoundaries) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    const auto field = [](int value) { return static_cast<std::uint32_t>(std::clamp(value, 0, 254)); };
    const std::uint64_t cases = 1'000'000 * test::scale();
    for (std::uint64_t i = 0; i < cases; ++i) {
        const std::uint32_t a = source.with_exponent(1 + source.below(254));
        const auto exponent = static_cast<int>(a >> 23 & 0xff);
        const int product =
            i % 2 ? static_cast<int>(source.below(8)) - 4 : 250 + static_cast<int>(source.below(8));
        const std::uint32_t b = source.with_exponent(field(product + 127 - exponent));
        const std::uint32_t c =
            source.with_exponent(field(product + static_cast<int>(source.below(50)) - 25));
        ASSERT_NO_FATAL_FAILURE(expect_fma(a, b, c));
        ASSERT_NO_FATAL_FAILURE(expect_pair(a, i % 4 < 2 ? b : c));
    }
}

TEST(Arithmetic, RandomAnywhere) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    const std::uint64_t cases = 1'000'000 * test::scale();
    for (std::uint64_t i = 0; i < cases; ++i) {
        const std::uint32_t a = source.any();
        const std::uint32_t b = source.any();
        const std::uint32_t c = i % 2 ? source.any() : bits_of(-float_of(a) * float_of(b)) ^ source.below(8);
        ASSERT_NO_FATAL_FAILURE(expect_fma(a, b, c));
        ASSERT_NO_FATAL_FAILURE(expect_pair(a, b));
    }
}

TEST(Arithmetic, ManyStepsEqualSingleSteps) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    std::vector<float> a, b, c;
    for (int i = 0; i < 10'007; ++i) {
        a.push_back(float_of(source.any()));
        b.push_back(float_of(source.any()));
        c.push_back(float_of(source.any()));
    }
    std::vector<float> out = c;
    numerics::fma_steps(a, b, out);
    for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_EQ(bits_of(out[i]), bits_of(numerics::fma_step(a[i], b[i], c[i])));
}

TEST(Arithmetic, Reciprocal) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    const auto expect = [](std::uint32_t a) {
        ASSERT_EQ(bits_of(numerics::reciprocal(float_of(a))), bits_of(test::exact_reciprocal(float_of(a))))
            << std::hex << a;
    };
    for (const std::uint32_t a : test::Corners) ASSERT_NO_FATAL_FAILURE(expect(a));
    const std::uint64_t cases = 1'000'000 * test::scale();
    for (std::uint64_t i = 0; i < cases; ++i) {
        const std::uint32_t near_flush = source.with_exponent(251 + source.below(4));
        ASSERT_NO_FATAL_FAILURE(expect(i % 2 ? source.any() : near_flush));
    }
}

TEST(Arithmetic, MaximumAndMinimum) {
    const float nan = float_of(0xffc12345);
    EXPECT_EQ(bits_of(numerics::maximum(0.0f, -0.0f)), 0x00000000u);
    EXPECT_EQ(bits_of(numerics::maximum(-0.0f, 0.0f)), 0x00000000u);
    EXPECT_EQ(bits_of(numerics::minimum(0.0f, -0.0f)), 0x80000000u);
    EXPECT_EQ(bits_of(numerics::minimum(-0.0f, 0.0f)), 0x80000000u);
    EXPECT_EQ(bits_of(numerics::maximum(float_of(0x80000001), float_of(0x80000002))), 0x80000000u);
    EXPECT_EQ(bits_of(numerics::minimum(float_of(1), 1.0f)), 0u);
    EXPECT_EQ(bits_of(numerics::maximum(nan, 1.0f)), numerics::CanonicalNan);
    EXPECT_EQ(bits_of(numerics::minimum(1.0f, nan)), numerics::CanonicalNan);
    EXPECT_EQ(numerics::maximum(-INFINITY, -1.0f), -1.0f);
    EXPECT_EQ(numerics::minimum(-INFINITY, -1.0f), -INFINITY);
    EXPECT_EQ(numerics::maximum(2.0f, -3.0f), 2.0f);
    EXPECT_EQ(numerics::minimum(-2.0f, -3.0f), -3.0f);
}

}  // namespace
}  // namespace trnsim
