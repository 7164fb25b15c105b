#include "compiler/hlo/real.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace trnsim::hlo {
namespace {

constexpr RealFormat Formats[] = {
    {ElementType::F64, 11, 52, 1023, Specials::Ieee},
    {ElementType::F32, 8, 23, 127, Specials::Ieee},
    {ElementType::F16, 5, 10, 15, Specials::Ieee},
    {ElementType::Bf16, 8, 7, 127, Specials::Ieee},
    {ElementType::F8e5m2, 5, 2, 15, Specials::Ieee},
    {ElementType::F8e4m3, 4, 3, 7, Specials::Ieee},
    {ElementType::F8e3m4, 3, 4, 3, Specials::Ieee},
    {ElementType::F8e4m3fn, 4, 3, 7, Specials::OneNan},
    {ElementType::F8e4m3b11fnuz, 4, 3, 11, Specials::NegZero},
    {ElementType::F8e4m3fnuz, 4, 3, 8, Specials::NegZero},
    {ElementType::F8e5m2fnuz, 5, 2, 16, Specials::NegZero},
    {ElementType::F4e2m1fn, 2, 1, 1, Specials::Saturate},
    {ElementType::F8e8m0fnu, 8, 0, 127, Specials::Exponent},
};

constexpr double NotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double Infinity = std::numeric_limits<double>::infinity();

std::uint64_t ones(int bits) {
    return (std::uint64_t{1} << bits) - 1;
}

// The code of the largest finite number.
std::uint64_t largest_code(const RealFormat& f) {
    const std::uint64_t all = ones(f.exponent_bits + f.mantissa_bits);
    switch (f.specials) {
        case Specials::Ieee:
            return all - (std::uint64_t{1} << f.mantissa_bits);
        case Specials::OneNan:
        case Specials::Exponent:
            return all - 1;
        default:
            return all;
    }
}

std::uint64_t nan_code(const RealFormat& f, bool negative) {
    const std::uint64_t sign = std::uint64_t{1} << (f.exponent_bits + f.mantissa_bits);
    switch (f.specials) {
        case Specials::Ieee: {
            const std::uint64_t quiet = f.mantissa_bits > 0 ? std::uint64_t{1} << (f.mantissa_bits - 1) : 0;
            return (negative ? sign : 0) | ones(f.exponent_bits) << f.mantissa_bits | quiet;
        }
        case Specials::OneNan:
            return (negative ? sign : 0) | ones(f.exponent_bits + f.mantissa_bits);
        case Specials::NegZero:
            return sign;
        case Specials::Exponent:
            return ones(f.exponent_bits);
        default:
            return sign;  // no type without NaN has a better code for it
    }
}

std::uint64_t overflow_code(const RealFormat& f, bool negative) {
    const std::uint64_t sign = negative ? std::uint64_t{1} << (f.exponent_bits + f.mantissa_bits) : 0;
    if (f.specials == Specials::Ieee) return sign | ones(f.exponent_bits) << f.mantissa_bits;
    return f.specials == Specials::Saturate ? sign | largest_code(f) : nan_code(f, negative);
}

std::uint64_t encode_exponent(const RealFormat& f, double value) {
    if (!(value > 0) || std::isinf(value)) return nan_code(f, false);
    int exponent = 0;
    double fraction = std::frexp(value, &exponent) * 2;  // in [1, 2)
    --exponent;
    if (fraction > 1.5 || (fraction == 1.5 && (exponent + f.bias) % 2 != 0)) ++exponent;
    const int code = exponent + f.bias;
    if (code < 0) return 0;
    return code > static_cast<int>(largest_code(f)) ? nan_code(f, false) : static_cast<std::uint64_t>(code);
}

std::uint64_t encode_generic(const RealFormat& f, double value) {
    const bool negative = std::signbit(value);
    if (f.specials == Specials::Exponent) return encode_exponent(f, value);
    if (std::isnan(value)) return nan_code(f, negative);
    if (std::isinf(value)) return overflow_code(f, negative);
    const std::uint64_t sign = negative ? std::uint64_t{1} << (f.exponent_bits + f.mantissa_bits) : 0;
    const double magnitude = std::fabs(value);
    const int smallest = 1 - f.bias;  // exponent of the smallest normal number
    const int exponent = magnitude == 0 ? smallest : std::max(std::ilogb(magnitude), smallest);
    // In units of the last place; a carry into the next exponent gives the right code, too.
    const auto units =
        static_cast<std::uint64_t>(std::nearbyint(std::ldexp(magnitude, f.mantissa_bits - exponent)));
    const std::uint64_t code = (static_cast<std::uint64_t>(exponent - smallest) << f.mantissa_bits) + units;
    if (code > largest_code(f)) return overflow_code(f, negative);
    return code == 0 && f.specials == Specials::NegZero ? 0 : sign | code;
}

double decode_generic(const RealFormat& f, std::uint64_t code) {
    const int magnitude_bits = f.exponent_bits + f.mantissa_bits;
    const std::uint64_t magnitude = code & ones(magnitude_bits);
    if (f.specials == Specials::Exponent) {
        return magnitude == ones(8) ? NotANumber : std::ldexp(1.0, static_cast<int>(magnitude) - f.bias);
    }
    const bool negative = (code >> magnitude_bits & 1) != 0;
    if (f.specials == Specials::NegZero && negative && magnitude == 0) return NotANumber;
    if (magnitude > largest_code(f)) {
        const bool infinite = f.specials == Specials::Ieee && (magnitude & ones(f.mantissa_bits)) == 0;
        return std::copysign(infinite ? Infinity : NotANumber, negative ? -1.0 : 1.0);
    }
    const auto exponent = static_cast<int>(magnitude >> f.mantissa_bits);
    const std::uint64_t fraction = magnitude & ones(f.mantissa_bits);
    const std::uint64_t units = exponent == 0 ? fraction : fraction | std::uint64_t{1} << f.mantissa_bits;
    const double value =
        std::ldexp(static_cast<double>(units), std::max(exponent, 1) - f.bias - f.mantissa_bits);
    return negative ? -value : value;
}

}  // namespace

const RealFormat& real_format(ElementType type) {
    for (const RealFormat& format : Formats) {
        if (format.type == type) return format;
    }
    return Formats[0];
}

double decode_real(ElementType type, std::uint64_t code) {
    switch (type) {
        case ElementType::F64:
            return std::bit_cast<double>(code);
        case ElementType::F32:
            return std::bit_cast<float>(static_cast<std::uint32_t>(code));
        case ElementType::Bf16:
            return std::bit_cast<float>(static_cast<std::uint32_t>(code << 16));
        default:
            return decode_generic(real_format(type), code);
    }
}

std::uint64_t encode_real(ElementType type, double value) {
    switch (type) {
        case ElementType::F64:
            return std::bit_cast<std::uint64_t>(value);
        case ElementType::F32:
            return std::bit_cast<std::uint32_t>(static_cast<float>(value));
        default:
            return encode_generic(real_format(type), value);
    }
}

double rounded(ElementType type, double value) {
    switch (type) {
        case ElementType::F64:
            return value;
        case ElementType::F32:
            return static_cast<float>(value);
        default:
            return decode_real(type, encode_real(type, value));
    }
}

}  // namespace trnsim::hlo
