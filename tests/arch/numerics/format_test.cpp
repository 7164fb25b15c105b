// Compares the format table and conversions with MPFR and with an independent transcription of the formats.
#include "arch/numerics/format.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "arch/numerics/exact.hpp"
#include "arch/numerics/operands.hpp"
#include "common/random.hpp"

namespace trnsim {
namespace {

using numerics::bits_of;
using numerics::float_of;
using numerics::Format;

// A transcription of a format's definition, in other terms than the table under test: significant bits, the
// exponent of the least normal value, the greatest finite value, the patterns of +1, +infinity and NaN.
struct Known {
    Format format;
    int precision;
    int least_exponent;
    double greatest;
    std::uint32_t one, infinity, nan;
    bool flushes;
    bool overflows_to_nan;
};
constexpr Known Floats[] = {
    {Format::Fp32, 24, -126, 0x1.fffffep127, 0x3f800000, 0x7f800000, 0x7fc00000, true, false},
    {Format::Tf32, 11, -126, 0x1.ffcp127, 0x3f800000, 0x7f800000, 0x7fc00000, true, false},
    {Format::Bf16, 8, -126, 0x1.fep127, 0x3f80, 0x7f80, 0x7fc0, true, false},
    {Format::Fp16, 11, -14, 65504, 0x3c00, 0x7c00, 0x7e00, false, false},
    {Format::Fp8E3m4, 5, -2, 15.5, 0x30, 0x70, 0x78, false, false},
    {Format::Fp8E4m3, 4, -6, 240, 0x38, 0x78, 0x7c, false, true},
    {Format::Fp8E5m2, 3, -14, 57344, 0x3c, 0x7c, 0x7e, false, false},
};

// Returns the value nearest to `value` that has `precision` significant bits, fewer below 2^least_exponent.
double exact_round(double value, const Known& k) {
    mpfr_t r;
    mpfr_init2(r, k.precision);
    const mpfr_exp_t saved_least = mpfr_get_emin();
    mpfr_set_emin(k.least_exponent - k.precision + 2);
    int ternary = mpfr_set_d(r, value, MPFR_RNDN);
    ternary = mpfr_check_range(r, ternary, MPFR_RNDN);
    mpfr_subnormalize(r, ternary, MPFR_RNDN);
    const double rounded = mpfr_get_d(r, MPFR_RNDN);
    mpfr_clear(r);
    mpfr_set_emin(saved_least);
    return rounded;
}

std::uint32_t sign_bit(const Known& k) {
    return 1u << (8 * numerics::storage_bytes(k.format) - 1);
}

void expect_narrowed(float value, const Known& k) {
    const std::uint32_t bits = numerics::from_fp32(value, k.format);
    const std::uint32_t sign = std::signbit(value) ? sign_bit(k) : 0;
    if (std::isnan(value)) {
        ASSERT_EQ(bits, k.nan);
        return;
    }
    if (std::isinf(value)) {
        ASSERT_EQ(bits, sign | k.infinity);
        return;
    }
    const double read = std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0, value) : value;
    const double rounded = exact_round(read, k);
    if (std::fabs(rounded) > k.greatest) {
        ASSERT_EQ(bits, k.overflows_to_nan ? k.nan : sign | k.infinity) << value;
        return;
    }
    ASSERT_EQ(static_cast<double>(numerics::to_fp32(bits, k.format)), rounded) << value;
    ASSERT_EQ(bits & sign_bit(k), sign) << value;
}

TEST(Format, TableAgreesWithTheTranscription) {
    for (const Known& k : Floats) {
        EXPECT_EQ(bits_of(numerics::to_fp32(k.one, k.format)), bits_of(1.0f));
        EXPECT_EQ(numerics::to_fp32(k.infinity, k.format), INFINITY);
        EXPECT_EQ(numerics::to_fp32(k.infinity | sign_bit(k), k.format), -INFINITY);
        EXPECT_EQ(bits_of(numerics::to_fp32(k.nan | sign_bit(k), k.format)), numerics::CanonicalNan);
        const std::uint32_t step = k.format == Format::Tf32 ? 1u << 13 : 1;
        EXPECT_EQ(numerics::to_fp32(k.infinity - step, k.format), k.greatest);
    }
    EXPECT_THROW(numerics::float_format(Format::I8), std::invalid_argument);
    EXPECT_THROW(numerics::integer_format(Format::Bf16), std::invalid_argument);
}

// Tests every finite element of up to 16 bits: positive patterns ascend strictly by one unit in the last
// place.
TEST(Format, EveryNarrowElement) {
    for (const Known& k : Floats) {
        if (numerics::storage_bytes(k.format) > 2) continue;
        const double least_normal = std::ldexp(1.0, k.least_exponent);
        double expected = 0;
        for (std::uint32_t bits = 0; bits < k.infinity; ++bits) {
            const double read = k.flushes && expected < least_normal ? 0.0 : expected;
            ASSERT_EQ(numerics::to_fp32(bits, k.format), read) << bits;
            ASSERT_EQ(bits_of(numerics::to_fp32(bits | sign_bit(k), k.format)),
                      bits_of(static_cast<float>(-read)))
                << bits;
            if (read == expected) {
                ASSERT_EQ(numerics::from_fp32(static_cast<float>(read), k.format), bits);
            }
            const int exponent = expected < least_normal ? k.least_exponent : std::ilogb(expected);
            expected += std::ldexp(1.0, exponent - k.precision + 1);
        }
        ASSERT_EQ(expected, std::ldexp(1.0, std::ilogb(k.greatest) + 1));
        for (std::uint32_t bits = k.infinity + 1; bits < sign_bit(k); ++bits) {
            ASSERT_EQ(bits_of(numerics::to_fp32(bits, k.format)), numerics::CanonicalNan);
        }
    }
}

TEST(Format, NarrowingRoundsLikeMpfr) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    const std::uint64_t cases = 100'000 * test::scale();
    for (const Known& k : Floats) {
        for (const std::uint32_t corner : test::Corners)
            ASSERT_NO_FATAL_FAILURE(expect_narrowed(float_of(corner), k));
        for (std::uint64_t i = 0; i < cases; ++i) {
            // Half of the values lie in the format's own range, some of those exactly between two neighbours.
            std::uint32_t bits = source.any();
            if (i % 2) {
                const auto least =
                    static_cast<std::uint32_t>(std::max(0, 127 + k.least_exponent - k.precision - 2));
                const auto most = static_cast<std::uint32_t>(127 + std::ilogb(k.greatest) + 2);
                bits = source.with_exponent(least + source.below(most - least));
                if (i % 4 == 1 && k.precision < 24)
                    bits = (bits & ~((1u << (24 - k.precision)) - 1)) | 1u << (23 - k.precision);
            }
            ASSERT_NO_FATAL_FAILURE(expect_narrowed(float_of(bits), k)) << std::hex << bits;
        }
    }
}

TEST(Format, NarrowingBoundaries) {
    EXPECT_EQ(numerics::from_fp32(65519.996f, Format::Fp16), 0x7bffu);
    EXPECT_EQ(numerics::from_fp32(65520.0f, Format::Fp16), 0x7c00u);
    EXPECT_EQ(numerics::from_fp32(247.9f, Format::Fp8E4m3), 0x77u);
    EXPECT_EQ(numerics::from_fp32(-248.0f, Format::Fp8E4m3), 0x7cu);
    EXPECT_EQ(numerics::from_fp32(-INFINITY, Format::Fp8E4m3), 0xf8u);
    EXPECT_EQ(numerics::from_fp32(15.75f, Format::Fp8E3m4), 0x70u);
    EXPECT_EQ(numerics::from_fp32(0x1p-25f, Format::Fp16), 0u);
    EXPECT_EQ(numerics::from_fp32(0x1.000002p-25f, Format::Fp16), 1u);
    EXPECT_EQ(numerics::from_fp32(float_of(0x80000001), Format::Bf16), 0x8000u);
}

struct KnownInteger {
    Format format;
    double least;
    double most;
};
constexpr KnownInteger Integers[] = {
    {Format::I8, -128, 127},
    {Format::U8, 0, 255},
    {Format::I16, -32768, 32767},
    {Format::U16, 0, 65535},
    {Format::I32, -2147483648.0, 2147483647},
    {Format::U32, 0, 4294967295.0},
};

TEST(Format, IntegersRoundAndSaturateLikeMpfr) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    mpfr_t r;
    mpfr_init2(r, 53);
    for (const KnownInteger& k : Integers) {
        EXPECT_EQ(numerics::from_fp32(NAN, k.format), 0u);
        const int bits = 8 * numerics::storage_bytes(k.format);
        for (int i = 0; i < 200'000; ++i) {
            const float value = float_of(i < static_cast<int>(test::Corners.size())
                                             ? test::Corners[static_cast<std::size_t>(i)]
                                             : source.with_exponent(120 + source.below(45)));
            if (std::isnan(value)) continue;
            mpfr_set_flt(r, value, MPFR_RNDN);
            mpfr_rint(r, r, MPFR_RNDN);
            const double rounded = std::fmin(std::fmax(mpfr_get_d(r, MPFR_RNDN), k.least), k.most);
            const auto expected = static_cast<std::uint32_t>(static_cast<std::int64_t>(rounded)) &
                                  (bits == 32 ? ~0u : (1u << bits) - 1);
            ASSERT_EQ(numerics::from_fp32(value, k.format), expected) << value;

            const std::uint32_t word = source.word() >> source.below(32);
            const std::uint32_t element = bits == 32 ? word : word & ((1u << bits) - 1);
            const double meant =
                k.least < 0 && element >> (bits - 1) ? element - std::ldexp(1.0, bits) : element;
            ASSERT_EQ(numerics::to_fp32(word, k.format), static_cast<float>(exact_round(meant, Floats[0])))
                << word;
        }
    }
    mpfr_clear(r);
}

TEST(Format, SplitsFp32Exactly) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    for (int i = 0; i < 1'000'000; ++i) {
        const float value = float_of(source.any());
        const auto [high, low] = numerics::split_fp32(value);
        if (!std::isfinite(value)) {
            ASSERT_EQ(bits_of(low), 0u);
            ASSERT_EQ(std::isnan(value), std::isnan(high));
            if (!std::isnan(value)) {
                ASSERT_EQ(high, value);
            }
            continue;
        }
        const float read = numerics::to_fp32(bits_of(value), Format::Fp32);
        ASSERT_EQ(bits_of(high), bits_of(read) & 0xfffff000);
        const double rest = static_cast<double>(read) - high;
        ASSERT_EQ(low, std::fabs(rest) < 0x1p-126 ? 0.0 : rest);
        ASSERT_EQ(std::signbit(low), std::signbit(value));
    }
}

// Tests every exponent, with the fractions on both sides of every rounding boundary, and random values.
TEST(Formats, ManyElementsAreRoundedAsOne) {
    std::vector<float> values;
    for (std::uint32_t top = 0; top < 1u << 16; ++top) {
        for (const std::uint32_t low :
             {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
            values.push_back(float_of(top << 16 | low));
    }
    auto generator = test::generator();
    for (std::uint64_t i = 0; i < 1'000'000 * test::scale(); ++i)
        values.push_back(float_of(static_cast<std::uint32_t>(generator())));
    for (const isa::EnumValue& dtype : isa::dtype_values()) {
        const auto format = static_cast<Format>(dtype.value);
        const auto bytes = static_cast<std::size_t>(numerics::storage_bytes(format));
        std::vector<std::uint8_t> narrow(values.size() * bytes);
        numerics::from_fp32(values, format, narrow.data());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::uint32_t got = 0;
            std::memcpy(&got, &narrow[i * bytes], bytes);
            if (got == numerics::from_fp32(values[i], format)) continue;
            if (wrong++ == 0)
                ADD_FAILURE() << dtype.name << " of " << std::hex << bits_of(values[i]) << ": " << got
                              << ", expected " << numerics::from_fp32(values[i], format);
        }
        EXPECT_EQ(wrong, 0u) << dtype.name;
    }
}

}  // namespace
}  // namespace trnsim
