// Compares the golden matrix product with a plain transcription of the contract on MPFR.
#include "arch/numerics/matmul_reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "arch/numerics/exact.hpp"
#include "arch/numerics/operands.hpp"
#include "arch/numerics/zero_signs.hpp"
#include "common/random.hpp"

namespace trnsim {
namespace {

using numerics::bits_of;
using numerics::float_of;
using numerics::Format;
using numerics::MatmulShape;

using Words = std::vector<std::uint32_t>;

struct Parts {
    int stationary;  // 0 low, 1 high, 2 the whole element
    int moving;
};

float part_of(std::uint32_t bits, Format format, int part, bool with_specials) {
    if (part == 2) return numerics::to_fp32(bits, format);
    if (!std::isfinite(float_of(bits))) return with_specials ? float_of(bits) : 0.0f;
    const float high = float_of(bits & 0xfffff000);
    return part == 1 ? high : std::copysign(test::exact_add(float_of(bits), -high), float_of(bits));
}

// Computes the passes of a tile in the order given, so that a wrong order can be tried.
std::vector<float> transcription(const Words& a, const Words& b, MatmulShape s, Format format,
                                 std::size_t rows, const std::vector<Parts>& passes) {
    std::vector<float> c(s.m * s.n);
    for (std::size_t m = 0; m < s.m; ++m) {
        for (std::size_t n = 0; n < s.n; ++n) {
            bool first_pass = true;
            float psum = 0;
            for (std::size_t tile = 0; tile < s.k; tile += rows) {
                for (const Parts& pass : passes) {
                    const bool specials = pass.stationary == pass.moving && pass.stationary != 0;
                    float acc = 0;
                    for (std::size_t k = tile; k < std::min(tile + rows, s.k); ++k) {
                        acc = test::exact_fma(part_of(a[k * s.m + m], format, pass.stationary, specials),
                                              part_of(b[k * s.n + n], format, pass.moving, specials), acc);
                    }
                    psum = first_pass ? acc : test::exact_add(psum, acc);
                    first_pass = false;
                }
            }
            c[m * s.n + n] = psum;
        }
    }
    return c;
}

const std::vector<Parts> WholePass = {{2, 2}};
const std::vector<Parts> Fp32Passes = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};

std::size_t differences(const std::vector<float>& x, const std::vector<float>& y) {
    std::size_t count = x.size() == y.size() ? 0 : 1;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) count += bits_of(x[i]) != bits_of(y[i]);
    return count;
}

Words random_words(test::OperandSource& source, std::size_t count, Format format, bool specials) {
    Words words(count);
    for (std::uint32_t& word : words) {
        const bool special = specials && source.below(512) == 0;
        word = special ? numerics::from_fp32(float_of(source.any()), format)
                       : numerics::from_fp32(float_of(source.with_exponent(122 + source.below(10))), format);
        if (format == Format::Fp32 && special) word = source.any();
    }
    return words;
}

class MatmulReference : public testing::TestWithParam<Format> {};

TEST_P(MatmulReference, FollowsTheContract) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    const Format format = GetParam();
    for (const MatmulShape s : {MatmulShape{1, 1, 1}, MatmulShape{5, 70, 300}, MatmulShape{17, 9, 64}}) {
        for (const bool specials : {false, true}) {
            for (const std::size_t rows : {std::size_t{32}, std::size_t{128}}) {
                const Words a = random_words(source, s.k * s.m, format, specials);
                const Words b = random_words(source, s.k * s.n, format, specials);
                const auto expected =
                    transcription(a, b, s, format, rows, format == Format::Fp32 ? Fp32Passes : WholePass);
                EXPECT_EQ(differences(numerics::tensor_matmul_reference(a, b, s, format, rows), expected),
                          0u);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, MatmulReference,
                         testing::Values(Format::Bf16, Format::Fp16, Format::Tf32, Format::Fp32,
                                         Format::Fp8E3m4, Format::Fp8E4m3, Format::Fp8E5m2));

// The order of the low*high and high*low passes shows only if the high*high pass cancels: here the two rows
// differ only in the sign and the low parts.
TEST(MatmulReferenceCheck, OrderOfPassesMatters) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    const MatmulShape s{8, 64, 2};
    Words a = random_words(source, s.k * s.m, Format::Fp32, false);
    Words b = random_words(source, s.k * s.n, Format::Fp32, false);
    for (std::size_t i = 0; i < s.m; ++i)
        a[s.m + i] = (a[i] & 0xfffff000) ^ 0x80000000 ^ source.below(0x1000);
    for (std::size_t i = 0; i < s.n; ++i) b[s.n + i] = (b[i] & 0xfffff000) ^ source.below(0x1000);
    const auto result = numerics::tensor_matmul_reference(a, b, s, Format::Fp32, 128);
    EXPECT_EQ(differences(result, transcription(a, b, s, Format::Fp32, 128, Fp32Passes)), 0u);
    EXPECT_NE(
        differences(result, transcription(a, b, s, Format::Fp32, 128, {{0, 0}, {1, 0}, {0, 1}, {1, 1}})), 0u);
}

TEST(MatmulReferenceCheck, TilesMatter) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    const MatmulShape s{8, 64, 256};
    const Words a = random_words(source, s.k * s.m, Format::Bf16, false);
    const Words b = random_words(source, s.k * s.n, Format::Bf16, false);
    const auto result = numerics::tensor_matmul_reference(a, b, s, Format::Bf16, 128);
    EXPECT_NE(differences(result, transcription(a, b, s, Format::Bf16, 64, WholePass)), 0u);
}

TEST(MatmulReferenceCheck, ZeroPartsKeepTheirSign) {
    for (const test::SignedProduct& product : test::signed_products()) {
        if (product.accumulate) continue;  // the reference begins with an empty PSUM
        const auto result = numerics::tensor_matmul_reference(
            product.stationary, product.moving, {1, 1, product.stationary.size()}, Format::Fp32, 128);
        EXPECT_EQ(bits_of(result[0]), product.result) << product.what;
    }
}

TEST(MatmulReferenceCheck, RefusesWrongArguments) {
    const Words a(6), b(6);
    EXPECT_THROW(numerics::tensor_matmul_reference(a, b, {2, 2, 2}, Format::Bf16, 128),
                 std::invalid_argument);
    EXPECT_THROW(numerics::tensor_matmul_reference(a, b, {2, 2, 3}, Format::Bf16, 0), std::invalid_argument);
    EXPECT_THROW(numerics::tensor_matmul_reference(a, b, {2, 2, 3}, Format::I8, 128), std::invalid_argument);
}

}  // namespace
}  // namespace trnsim
