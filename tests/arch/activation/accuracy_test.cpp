// Compares every activation function with MPFR.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "arch/activation/activation.hpp"
#include "arch/activation/generator/accuracy.hpp"
#include "arch/numerics/format.hpp"
#include "common/random.hpp"

namespace trnsim::activation {
namespace {

constexpr double Limit =
    2.5;  // units in the last place; docs/activation-functions.md has each function's own figure

class Accuracy : public testing::TestWithParam<Definition> {
  protected:
    void expect(const Worst& worst, const char* operands) {
        const std::string name(isa::name_of(GetParam().function));
        std::printf("%s, %s operands: %.3f ulp at %08x\n", name.c_str(), operands, worst.units,
                    worst.operand);
        EXPECT_LE(worst.units, Limit);
        EXPECT_EQ(worst.mismatches, 0u) << std::hex << worst.operand;
    }
};

TEST_P(Accuracy, AllBf16) {
    expect(error_over_bf16(GetParam()), "bf16");
}

TEST_P(Accuracy, RandomFp32) {
    expect(error_over_random(GetParam(), 100'000 * test::heavy_scale(), test::seed()), "fp32");
}

// Tests the operands around every change of segment or row and around zeros, where approximations meet.
TEST_P(Accuracy, Seams) {
    Worst worst;
    for (std::uint32_t sign : {0u, 0x80000000u}) {
        for (std::uint32_t at = 0x00800000; at < 0x7f800000; at += 1u << 14) {
            for (int delta = -1; delta <= 0; ++delta) {
                if ((at & 0x1fffff) == 0 || (at >> 23 >= 120 && at >> 23 < 136))
                    worst.take(error_at(GetParam(), sign | (at + static_cast<std::uint32_t>(delta))));
            }
        }
    }
    for (const Real& zero : GetParam().zeros) {
        const std::uint32_t at = numerics::bits_of(zero.to_float());
        for (int delta = -1000; delta <= 1000; ++delta)
            worst.take(error_at(GetParam(), at + static_cast<std::uint32_t>(delta)));
    }
    expect(worst, "seam");
}

INSTANTIATE_TEST_SUITE_P(Functions, Accuracy, testing::ValuesIn(definitions().begin(), definitions().end()),
                         [](const auto& info) { return std::string(isa::name_of(info.param.function)); });

// Checks the definitions themselves against the host's library and textbook formulas.
struct Textbook {
    isa::Activation function;
    long double (*value)(long double);
};

long double normal(long double z) {
    return std::erfc(-z / std::sqrt(2.0L)) / 2;
}
long double density(long double z) {
    return std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0L));
}
long double logistic(long double z) {
    return 1 / (1 + std::exp(-z));
}

constexpr Textbook Textbooks[] = {
    {isa::Activation::Sigmoid, logistic},
    {isa::Activation::Gelu, [](long double z) { return z * normal(z); }},
    {isa::Activation::GeluDx, [](long double z) { return normal(z) + z * density(z); }},
    {isa::Activation::GeluApprxTanh,
     [](long double z) {
         return z / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0L)) * (z + 0.044715L * z * z * z)));
     }},
    {isa::Activation::GeluApprxSigmoid, [](long double z) { return z * logistic(1.702L * z); }},
    {isa::Activation::Silu, [](long double z) { return z * logistic(z); }},
    {isa::Activation::SiluDx,
     [](long double z) { return logistic(z) + z * logistic(z) * (1 - logistic(z)); }},
    {isa::Activation::Tanh, [](long double z) { return std::tanh(z); }},
    {isa::Activation::Softplus, [](long double z) { return std::log1p(std::exp(z)); }},
    {isa::Activation::Mish, [](long double z) { return z * std::tanh(std::log1p(std::exp(z))); }},
    {isa::Activation::Erf, [](long double z) { return std::erf(z); }},
    {isa::Activation::ErfDx,
     [](long double z) { return 2 / std::sqrt(std::acos(-1.0L)) * std::exp(-z * z); }},
    {isa::Activation::Exp, [](long double z) { return std::exp(z); }},
    {isa::Activation::Log, [](long double z) { return std::log(z); }},
    {isa::Activation::Sin, [](long double z) { return std::sin(z); }},
    {isa::Activation::Arctan, [](long double z) { return std::atan(z); }},
    {isa::Activation::Sqrt, [](long double z) { return std::sqrt(z); }},
    {isa::Activation::Rsqrt, [](long double z) { return 1 / std::sqrt(z); }},
    {isa::Activation::Reciprocal, [](long double z) { return 1 / z; }},
    {isa::Activation::GeluApprxSigmoidDx,
     [](long double z) {
         const long double s = logistic(1.702L * z);
         return s + 1.702L * z * s * (1 - s);
     }},
};

TEST(Definitions, AreTheTextbooks) {
    ASSERT_EQ(std::size(Textbooks), definitions().size());
    for (std::size_t k = 0; k < std::size(Textbooks); ++k) {
        const Definition& f = definitions()[k];
        ASSERT_EQ(f.function, Textbooks[k].function);
        const bool positive = f.mode != Mode::Direct && f.mode != Mode::Reciprocal;
        for (int step = positive ? 1 : -400; step <= 400; ++step) {
            if (step == 0) continue;
            const double z = step / 100.0;
            const long double expected = Textbooks[k].value(z);
            EXPECT_NEAR(static_cast<double>(f.value(Real(z)).to_long_double()), static_cast<double>(expected),
                        1e-15 + 1e-15 * std::fabs(static_cast<double>(expected)))
                << isa::name_of(f.function) << " at " << z;
        }
    }
}

}  // namespace
}  // namespace trnsim::activation
