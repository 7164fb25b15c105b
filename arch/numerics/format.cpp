#include "arch/numerics/format.hpp"

#include "isa/element_type.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace trnsim::numerics {
namespace {

struct FloatRow {
    Format format;
    FloatFormat is;
};
struct IntegerRow {
    Format format;
    IntegerFormat is;
};

constexpr FloatRow FloatRows[] = {
    // exponent bits, fraction bits, bias, unused, flushes, overflows to NaN
    {Format::Fp32, {8, 23, 127, 0, true, false}},   {Format::Tf32, {8, 10, 127, 13, true, false}},
    {Format::Bf16, {8, 7, 127, 0, true, false}},    {Format::Fp16, {5, 10, 15, 0, false, false}},
    {Format::Fp8E3m4, {3, 4, 3, 0, false, false}},  {Format::Fp8E4m3, {4, 3, 7, 0, false, true}},
    {Format::Fp8E5m2, {5, 2, 15, 0, false, false}},
};
constexpr IntegerRow IntegerRows[] = {
    {Format::I8, {8, true}},    {Format::U8, {8, false}},  {Format::I16, {16, true}},
    {Format::U16, {16, false}}, {Format::I32, {32, true}}, {Format::U32, {32, false}},
};

// The parts of a format fill its bytes.
static_assert(std::ranges::all_of(FloatRows, [](const FloatRow& row) {
    const int bits = 1 + row.is.exponent_bits + row.is.fraction_bits + row.is.unused_low_bits;
    return static_cast<std::uint32_t>(bits) == 8 * isa::element_size(row.format) &&
           !isa::is_integer_type(row.format);
}));
static_assert(std::ranges::all_of(IntegerRows, [](const IntegerRow& row) {
    return static_cast<std::uint32_t>(row.is.bits) == 8 * isa::element_size(row.format) &&
           isa::is_integer_type(row.format);
}));

constexpr std::uint32_t low_bits(int count) {
    return count >= 32 ? ~0u : (1u << count) - 1;
}

float integer_to_fp32(std::uint32_t bits, const IntegerFormat& f) {
    bits &= low_bits(f.bits);
    const bool negative = f.is_signed && (bits >> (f.bits - 1)) != 0;
    const std::int64_t value =
        negative ? static_cast<std::int64_t>(bits) - (std::int64_t{1} << f.bits) : bits;
    return static_cast<float>(value);
}

std::uint32_t integer_from_fp32(float value, const IntegerFormat& f) {
    if (std::isnan(value)) return 0;
    const double least = f.is_signed ? -std::ldexp(1.0, f.bits - 1) : 0.0;
    const double most = std::ldexp(1.0, f.is_signed ? f.bits - 1 : f.bits) - 1.0;
    const double rounded = std::nearbyint(static_cast<double>(value));
    const double clamped = rounded < least ? least : rounded > most ? most : rounded;
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(clamped)) & low_bits(f.bits);
}

// A whole number nearest to a magnitude, ties to even.
struct NearestEven {
    double operator()(double magnitude) const { return std::nearbyint(magnitude); }
};

// The whole number below or the one above; the draw decides.
struct Stochastic {
    std::uint32_t draw;
    double operator()(double magnitude) const {
        const double below = std::floor(magnitude);
        const double threshold = std::floor(std::ldexp(magnitude - below, 32));
        return draw < threshold ? below + 1 : below;
    }
};

// Returns the magnitude rounded to a multiple of the format's quantum there. Every step is exact except
// `round`: doubles hold all fp32 values and scale by powers of two without rounding.
template <class Round>
double round_magnitude(double magnitude, const FloatFormat& f, Round round) {
    int exponent = 0;
    std::frexp(magnitude, &exponent);  // magnitude = [0.5, 1) * 2^exponent
    const int least = 1 - f.bias;
    const int quantum = (exponent - 1 < least ? least : exponent - 1) - f.fraction_bits;
    return std::ldexp(round(std::ldexp(magnitude, -quantum)), quantum);
}

template <class Round>
std::uint32_t float_from_fp32(float value, const FloatFormat& f, Round round) {
    const std::uint32_t sign = (std::signbit(value) ? 1u : 0u) << (f.exponent_bits + f.fraction_bits);
    const std::uint32_t infinity = low_bits(f.exponent_bits) << f.fraction_bits;
    const std::uint32_t nan = infinity | 1u << (f.fraction_bits - 1);
    const auto stored = [&](std::uint32_t bits) { return bits << f.unused_low_bits; };

    if (std::isnan(value)) return stored(nan);
    if (std::isinf(value)) return stored(sign | infinity);
    // The comparison is in double, where fp32's smallest normal value is not near the flush threshold of the
    // host.
    const double magnitude = std::fabs(static_cast<double>(value));
    if (magnitude < std::ldexp(1.0, -126)) return stored(sign);
    const double rounded = round_magnitude(magnitude, f, round);
    const double beyond = std::ldexp(1.0, static_cast<int>(low_bits(f.exponent_bits)) - f.bias);
    if (rounded >= beyond) return stored(f.overflows_to_nan ? nan : sign | infinity);

    const double least_normal = std::ldexp(1.0, 1 - f.bias);
    if (rounded < least_normal) {
        return stored(sign | static_cast<std::uint32_t>(std::ldexp(rounded, f.bias - 1 + f.fraction_bits)));
    }
    const int exponent = std::ilogb(rounded);
    const auto significand = static_cast<std::uint32_t>(std::ldexp(rounded, f.fraction_bits - exponent));
    const auto field = static_cast<std::uint32_t>(exponent + f.bias) << f.fraction_bits;
    return stored(sign | field | (significand & low_bits(f.fraction_bits)));
}

// Does the same as float_from_fp32() with nearest even, in whole numbers: the value's kind only chooses
// between results, so that a compiler can work on several elements at once.
template <int ExponentBits, int FractionBits, int Bias, bool Flushes, bool OverflowsToNan>
std::uint32_t nearest_from_bits(std::uint32_t bits) {
    constexpr std::int32_t Infinity32 = 0x7f800000, LeastNormal32 = 0x00800000;
    constexpr std::int32_t Infinity = ((1 << ExponentBits) - 1) << FractionBits;
    constexpr std::int32_t Nan = Infinity | 1 << (FractionBits - 1);
    constexpr std::int32_t LeastNormal = (128 - Bias) << 23;  // in fp32
    constexpr int Dropped = 23 - FractionBits;
    const auto choose = [](bool condition, std::int32_t yes, std::int32_t no) {
        const std::int32_t mask = -static_cast<std::int32_t>(condition);
        return (yes & mask) | (no & ~mask);
    };
    const auto sign = static_cast<std::int32_t>(bits >> 31 << (ExponentBits + FractionBits));
    const auto magnitude = static_cast<std::int32_t>(bits & 0x7fffffff);
    const std::int32_t finite = choose(magnitude < Infinity32, magnitude, Infinity32);

    const std::int32_t rounded = finite + ((1 << (Dropped - 1)) - 1) + (finite >> Dropped & 1);
    const std::int32_t normal = (rounded >> Dropped) - ((127 - Bias) << FractionBits);
    const std::int32_t beyond = OverflowsToNan ? Nan : Infinity;
    std::int32_t result = choose(normal < Infinity, normal, beyond);
    if constexpr (!Flushes) {
        // The sum's last place is the format's smallest step: the processor rounds to nearest even.
        constexpr std::int32_t Step = (128 - Bias + Dropped) << 23;
        const float sum = std::bit_cast<float>(choose(finite < LeastNormal, finite, LeastNormal)) +
                          std::bit_cast<float>(Step);
        result = choose(finite < LeastNormal, std::bit_cast<std::int32_t>(sum) - Step, result);
    }
    result = choose(finite < LeastNormal32, 0, result);
    result = choose(magnitude == Infinity32, Infinity, result);
    result = choose(magnitude > Infinity32, Nan, result);
    return static_cast<std::uint32_t>(choose(result == Nan, Nan, sign | result));
}

template <typename Element, int Shift, auto... Parameters>
void convert(std::span<const float> values, std::uint8_t* out) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto element = static_cast<Element>(
            nearest_from_bits<Parameters...>(std::bit_cast<std::uint32_t>(values[i])) << Shift);
        std::memcpy(out + i * sizeof element, &element, sizeof element);
    }
}

}  // namespace

bool is_float(Format format) {
    for (const FloatRow& row : FloatRows) {
        if (row.format == format) return true;
    }
    return false;
}

const FloatFormat& float_format(Format format) {
    for (const FloatRow& row : FloatRows) {
        if (row.format == format) return row.is;
    }
    throw std::invalid_argument("not a floating-point format");
}

const IntegerFormat& integer_format(Format format) {
    for (const IntegerRow& row : IntegerRows) {
        if (row.format == format) return row.is;
    }
    throw std::invalid_argument("not an integer format");
}

int storage_bytes(Format format) {
    return static_cast<int>(isa::element_size(format));
}

std::uint32_t bits_of(float value) {
    return std::bit_cast<std::uint32_t>(value);
}
float float_of(std::uint32_t bits) {
    return std::bit_cast<float>(bits);
}

float to_fp32(std::uint32_t bits, Format format) {
    if (!is_float(format)) return integer_to_fp32(bits, integer_format(format));
    const FloatFormat& f = float_format(format);
    bits >>= f.unused_low_bits;
    const std::uint32_t fraction = bits & low_bits(f.fraction_bits);
    const std::uint32_t exponent = bits >> f.fraction_bits & low_bits(f.exponent_bits);
    const bool negative = (bits >> (f.fraction_bits + f.exponent_bits) & 1) != 0;
    if (exponent == low_bits(f.exponent_bits)) {
        if (fraction != 0) return float_of(CanonicalNan);
        return negative ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
    }
    double magnitude = 0;
    if (exponent != 0) {
        magnitude = std::ldexp(fraction + std::ldexp(1.0, f.fraction_bits),
                               static_cast<int>(exponent) - f.bias - f.fraction_bits);
    } else if (!f.flushes) {
        magnitude = std::ldexp(static_cast<double>(fraction), 1 - f.bias - f.fraction_bits);
    }
    return static_cast<float>(negative ? -magnitude : magnitude);
}

std::uint32_t from_fp32(float value, Format format) {
    if (!is_float(format)) return integer_from_fp32(value, integer_format(format));
    return float_from_fp32(value, float_format(format), NearestEven{});
}

void from_fp32(std::span<const float> values, Format format, std::uint8_t* out) {
    // The parameters are those of FloatRows; the shift is the number of unused low bits.
    switch (format) {
        case Format::Tf32:
            return convert<std::uint32_t, 13, 8, 10, 127, true, false>(values, out);
        case Format::Bf16:
            return convert<std::uint16_t, 0, 8, 7, 127, true, false>(values, out);
        case Format::Fp16:
            return convert<std::uint16_t, 0, 5, 10, 15, false, false>(values, out);
        case Format::Fp8E3m4:
            return convert<std::uint8_t, 0, 3, 4, 3, false, false>(values, out);
        case Format::Fp8E4m3:
            return convert<std::uint8_t, 0, 4, 3, 7, false, true>(values, out);
        case Format::Fp8E5m2:
            return convert<std::uint8_t, 0, 5, 2, 15, false, false>(values, out);
        default:
            break;
    }
    const auto bytes = static_cast<std::size_t>(storage_bytes(format));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint32_t element = from_fp32(values[i], format);
        std::memcpy(out + i * bytes, &element, bytes);
    }
}

std::uint32_t from_fp32(float value, Format format, std::uint32_t draw) {
    if (!rounds_stochastically(format)) return from_fp32(value, format);
    return float_from_fp32(value, float_format(format), Stochastic{draw});
}

bool rounds_stochastically(Format format) {
    return is_float(format) && format != Format::Fp32;
}

SplitFp32 split_fp32(float value) {
    const float read = to_fp32(bits_of(value), Format::Fp32);
    if (!std::isfinite(read)) return {read, 0.0f};
    int exponent = 0;
    const double fraction = std::frexp(static_cast<double>(read), &exponent);
    const double high = std::ldexp(std::trunc(std::ldexp(fraction, 12)), exponent - 12);
    const double low = static_cast<double>(read) - high;
    const bool vanishes = std::fabs(low) < std::ldexp(1.0, -126);
    return {static_cast<float>(high), std::copysign(vanishes ? 0.0f : static_cast<float>(low), read)};
}

}  // namespace trnsim::numerics
