// Compares estimates of reciprocals and of reciprocal square roots of a GpSimd core with the definition of
// the vector extension: the operand is replaced by the middle of its interval, and the result is rounded to 8
// bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>

#include "Vfp_tb.h"
#include "common/random.hpp"
#include "rtl/gpsimd/ieee_reference.hpp"
#include "tests/common/model.hpp"

namespace trnsim {
namespace {

using test::FpResult;
using test::RoundingMode;

constexpr std::uint8_t Rsqrt7 = 28;  // code in fp_op_e
constexpr std::uint8_t Rec7 = 29;
constexpr std::uint32_t CanonicalNan = 0x7fc00000;
constexpr std::uint32_t Infinity = 0x7f800000;
constexpr std::uint32_t QuietBit = 0x00400000;

FpResult nan_of(float operand) {
    const bool quiet = (std::bit_cast<std::uint32_t>(operand) & QuietBit) != 0;
    return {CanonicalNan, quiet ? std::uint8_t{0} : std::uint8_t{test::Invalid}};
}

// Returns the middle of the interval of `significand`, which lies in [1, 2). The upper bits divide that range
// into intervals.
double middle(double significand, int intervals) {
    return 1 + (std::floor((significand - 1) * intervals) + 0.5) / intervals;
}

FpResult reciprocal(float operand, RoundingMode mode) {
    const std::uint32_t sign = std::signbit(operand) ? 0x80000000 : 0;
    if (std::isnan(operand)) return nan_of(operand);
    if (std::isinf(operand)) return {sign, 0};
    if (operand == 0) return {sign | Infinity, test::DivideByZero};
    const int exponent = std::ilogb(operand);
    const double significand = std::ldexp(std::fabs(static_cast<double>(operand)), -exponent);
    const double value = std::ldexp(std::round(256 / middle(significand, 128)) / 256, -exponent);
    if (value >= std::ldexp(1.0, 128)) {
        const bool away = mode == RoundingMode::NearestEven || mode == RoundingMode::NearestAway ||
                          mode == (sign ? RoundingMode::Down : RoundingMode::Up);
        return {sign | (away ? Infinity : Infinity - 1), test::Overflow | test::Inexact};
    }
    return {sign | std::bit_cast<std::uint32_t>(static_cast<float>(value)), 0};
}

FpResult reciprocal_root(float operand) {
    if (std::isnan(operand)) return nan_of(operand);
    if (operand == 0) return {std::bit_cast<std::uint32_t>(operand) | Infinity, test::DivideByZero};
    if (std::signbit(operand)) return {CanonicalNan, test::Invalid};
    if (std::isinf(operand)) return {0, 0};
    const int exponent = std::ilogb(operand);
    const int odd = exponent & 1;
    const double significand = std::ldexp(static_cast<double>(operand), -exponent);
    const double root = std::sqrt(std::ldexp(middle(significand, 64), odd));
    const double value = std::ldexp(std::round(256 / root) / 256, -(exponent - odd) / 2);
    return {std::bit_cast<std::uint32_t>(static_cast<float>(value)), 0};
}

class GpsimdEstimate : public testing::Test {
  protected:
    void compare(std::uint8_t op, std::uint32_t operand, RoundingMode mode) {
        const auto value = std::bit_cast<float>(operand);
        const FpResult expected = op == Rec7 ? reciprocal(value, mode) : reciprocal_root(value);
        model_->op_i = op;
        model_->rm_i = static_cast<std::uint8_t>(mode);
        model_->a_i = operand;
        for (const int clk : {0, 1}) {
            model_->clk_i = clk;
            model_->eval();
        }
        ASSERT_EQ(model_->value_o, expected.value)
            << std::hex << operand << ", mode " << static_cast<int>(mode);
        ASSERT_EQ(model_->flags_o, expected.flags)
            << std::hex << operand << ", mode " << static_cast<int>(mode);
    }

    // Tests every exponent and every value of a fraction's upper seven bits. The fractions of subnormal
    // numbers are also shifted by every number of leading zeros. The lower bits are random. Rounding modes
    // come in turn; subnormal numbers get all of them, because their reciprocals overflow.
    void compare_all(std::uint8_t op) {
        for (std::uint32_t exponent = 0; exponent < 512; ++exponent) {  // includes the sign
            const bool subnormal = exponent % 256 == 0;
            for (std::uint32_t zeros = 0; zeros < (subnormal ? 23 : 1); ++zeros) {
                for (std::uint32_t upper = 0; upper < 128; ++upper) {
                    const std::uint32_t fraction = (upper << 16 | (generator_() & 0xffff)) >> zeros;
                    for (std::uint32_t mode = 0; mode < (subnormal ? 5 : 1); ++mode) {
                        compare(op, exponent << 23 | fraction, static_cast<RoundingMode>((upper + mode) % 5));
                        if (HasFatalFailure()) return;
                    }
                }
            }
            // Infinity, zero, powers of two.
            compare(op, exponent << 23, RoundingMode::NearestEven);
            if (HasFatalFailure()) return;
        }
    }

    std::unique_ptr<Vfp_tb> model_ = std::make_unique<test::Model<Vfp_tb>>();
    std::mt19937_64 generator_ = test::generator();
};

TEST_F(GpsimdEstimate, Reciprocal) {
    compare_all(Rec7);
}

TEST_F(GpsimdEstimate, ReciprocalRoot) {
    compare_all(Rsqrt7);
}

}  // namespace
}  // namespace trnsim
