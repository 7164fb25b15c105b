// Computes x^y = 2^(y log2 x) with the steps of the microcode, one element at a time: the steps decide which
// result within 2 units in the last place it gives.
#include <bit>
#include <cmath>
#include <cstdint>

#include "testbench/functional/gpsimd_microcode.hpp"

namespace trnsim::functional {
namespace {

constexpr float Infinity = __builtin_inff();

// A value as the sum of a float and its rounding error.
struct Pair {
    float high, low;
};

// Rounds to the nearest integer, ties to even, and saturates.
std::int32_t nearest(float x) {
    if (std::isnan(x) || x >= 0x1p31F) return 0x7fffffff;
    return x < -0x1p31F ? -0x7fffffff - 1 : static_cast<std::int32_t>(std::nearbyint(x));
}

float two_to(std::int32_t exponent) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}

// Computes log2 of a positive finite number.
Pair log2_of(float x) {
    constexpr std::uint32_t RootOfHalf = 0x3f3504f3;
    const bool small = x < 0x1p-126F;
    if (small) x *= 0x1p24F;
    const std::uint32_t offset = std::bit_cast<std::uint32_t>(x) - RootOfHalf;
    const std::int32_t exponent = (static_cast<std::int32_t>(offset) >> 23) - (small ? 24 : 0);
    const auto m = std::bit_cast<float>((offset & 0x7fffff) + RootOfHalf);
    const auto whole = static_cast<float>(exponent);

    // s = (m - 1) / (m + 1), with its rounding error.
    const float difference = m - 1.0F, sum = m + 1.0F, of_m = sum - 1.0F;
    const float sum_low = (m - of_m) + (1.0F - (sum - of_m));
    const float s = difference / sum;
    const float rest = std::fma(-s, sum_low, std::fma(-s, sum, difference));
    const float s_low = rest / sum;

    const float square = s * s;
    float series = 1.0F / 11.0F;
    for (const float coefficient : {1.0F / 9.0F, 1.0F / 7.0F, 1.0F / 5.0F, 1.0F / 3.0F})
        series = std::fma(series, square, coefficient);
    series *= square * s;
    constexpr float Scale = 2.88539004F, ScaleLow = 3.85192598e-8F;  // 2 / ln 2
    const float main = s * Scale;
    float low = std::fma(Scale, s, -main);
    low = std::fma(ScaleLow, s, low);
    low = std::fma(Scale, s_low, low);
    low = std::fma(Scale, series, low);

    const float high = whole + main, of_main = high - whole;
    low += (whole - (high - of_main)) + (main - of_main);
    const float total = high + low;
    return {total, low - (total - high)};
}

float exp2_of(float high, float low) {
    const std::int32_t whole = nearest(high);
    const float fraction = (high - static_cast<float>(whole)) + low;
    float series = 1.52527338e-5F;
    for (const float coefficient : {1.54035304e-4F, 1.33335581e-3F, 9.61812911e-3F, 5.55041087e-2F,
                                    2.40226507e-1F, 6.93147181e-1F, 1.0F})
        series = std::fma(series, fraction, coefficient);
    const std::int32_t half = whole >> 1;
    return series * two_to(half) * two_to(whole - half);
}

}  // namespace

float gpsimd_power(float x, float y) {
    constexpr float Most = 160.0F, AllEven = 0x1p24F;
    const float size = std::fabs(x), y_size = std::fabs(y);
    if (y == 0 || x == 1) return 1.0F;
    const bool integral = static_cast<float>(nearest(y)) == y || y_size >= AllEven;
    const bool finite_negative = x < 0 && size < Infinity;
    if (std::isnan(x) || std::isnan(y) || (finite_negative && !integral)) return __builtin_nanf("");
    float result = 0;
    if (size == 0 || size == Infinity || y_size == Infinity) {
        result = size == 1 ? 1.0F : (size > 1) != (y < 0) ? Infinity : 0.0F;
    } else {
        const Pair logarithm = log2_of(size);
        const float high = y * logarithm.high;
        float low = std::fma(y, logarithm.low, std::fma(y, logarithm.high, -high));
        if (std::fabs(high) > Most) low = 0;
        result = exp2_of(std::fmax(std::fmin(high, Most), -Most), low);
    }
    const bool odd = integral && y_size < AllEven && (nearest(y) & 1) != 0;
    return std::signbit(x) && odd ? -result : result;
}

}  // namespace trnsim::functional
