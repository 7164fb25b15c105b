// A second implementation of what a DMA engine does with elements: formats by their fields, rounding in exact
// doubles, arithmetic on MPFR, draws from the published generators. It shares nothing with arch/numerics.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "arch/numerics/exact.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::test {

struct ElementFormat {
    isa::Dtype dtype;
    int bytes;
    // A floating-point format has exponent and fraction bits and the fraction's place; an integer has 0
    // exponent bits.
    int exponent, fraction, shift;
    bool flushes, overflows_to_nan, is_signed;
};

inline constexpr std::array ElementFormats{
    ElementFormat{isa::Dtype::Fp32, 4, 8, 23, 0, true, false, true},
    ElementFormat{isa::Dtype::Tf32, 4, 8, 10, 13, true, false, true},
    ElementFormat{isa::Dtype::Bf16, 2, 8, 7, 0, true, false, true},
    ElementFormat{isa::Dtype::Fp16, 2, 5, 10, 0, false, false, true},
    ElementFormat{isa::Dtype::Fp8E4m3, 1, 4, 3, 0, false, true, true},
    ElementFormat{isa::Dtype::Fp8E5m2, 1, 5, 2, 0, false, false, true},
    ElementFormat{isa::Dtype::Fp8E3m4, 1, 3, 4, 0, false, false, true},
    ElementFormat{isa::Dtype::U8, 1, 0, 0, 0, false, false, false},
    ElementFormat{isa::Dtype::I8, 1, 0, 0, 0, false, false, true},
    ElementFormat{isa::Dtype::U16, 2, 0, 0, 0, false, false, false},
    ElementFormat{isa::Dtype::I16, 2, 0, 0, 0, false, false, true},
    ElementFormat{isa::Dtype::U32, 4, 0, 0, 0, false, false, false},
    ElementFormat{isa::Dtype::I32, 4, 0, 0, 0, false, false, true},
};

inline const ElementFormat& element_format(isa::Dtype dtype) {
    for (const ElementFormat& format : ElementFormats) {
        if (format.dtype == dtype) return format;
    }
    throw std::invalid_argument("no element type");
}

// Rounds q, a multiple of a power of two that a double holds, to a whole number: to nearest even, or up if
// and only if draw < f.
inline double whole(double q, std::optional<std::uint32_t> draw) {
    const double low = std::floor(q), rest = q - low;
    const bool odd = std::fmod(low, 2) != 0;
    const bool up = draw ? *draw < std::floor(std::ldexp(rest, 32)) : rest > 0.5 || (rest == 0.5 && odd);
    return up ? low + 1 : low;
}

inline float oracle_fp32(std::uint32_t bits, const ElementFormat& format) {
    const int width = 8 * format.bytes;
    if (format.exponent == 0) {
        double value = bits;
        if (format.is_signed && (bits >> (width - 1) & 1) != 0) value -= std::ldexp(1, width);
        return static_cast<float>(value);  // the host's conversion rounds to nearest even
    }
    bits >>= format.shift;
    const auto fraction = static_cast<double>(bits & ((1u << format.fraction) - 1));
    const auto field = static_cast<int>(bits >> format.fraction & ((1u << format.exponent) - 1));
    const double sign = (bits >> (format.fraction + format.exponent) & 1) != 0 ? -1 : 1;
    const int largest = (1 << format.exponent) - 1, bias = (1 << (format.exponent - 1)) - 1;
    if (field == largest && fraction != 0) return canonical_nan();
    if (field == largest) return static_cast<float>(sign * std::numeric_limits<double>::infinity());
    if (field == 0)
        return static_cast<float>(sign *
                                  (format.flushes ? 0 : std::ldexp(fraction, 1 - bias - format.fraction)));
    return static_cast<float>(sign * std::ldexp(1 + std::ldexp(fraction, -format.fraction), field - bias));
}

inline std::uint32_t oracle_bits(float value, const ElementFormat& format,
                                 std::optional<std::uint32_t> draw = std::nullopt) {
    double size = std::fabs(static_cast<double>(value));
    if (size < 0x1p-126) size = 0;
    const bool negative = std::signbit(value);
    if (format.exponent == 0) {
        if (std::isnan(value)) return 0;
        const int width = 8 * format.bytes;
        const double top = std::ldexp(1, format.is_signed ? width - 1 : width);
        const double number = std::isinf(value) ? size : whole(size, std::nullopt);
        double kept = negative ? -number : number;
        kept = std::fmin(std::fmax(kept, format.is_signed ? -top : 0), top - 1);
        const auto integer = static_cast<std::int64_t>(kept);
        return static_cast<std::uint32_t>(integer) & (width == 32 ? ~0u : (1u << width) - 1);
    }
    const std::uint32_t sign = std::uint32_t{negative} << (format.fraction + format.exponent);
    const std::uint32_t infinity = ((1u << format.exponent) - 1) << format.fraction;
    const std::uint32_t nan = infinity | 1u << (format.fraction - 1);
    if (std::isnan(value)) return nan << format.shift;
    if (std::isinf(value)) return (sign | infinity) << format.shift;
    if (size == 0) return sign << format.shift;
    const int bias = (1 << (format.exponent - 1)) - 1;
    const bool rounds = format.dtype != isa::Dtype::Fp32;
    int exponent = std::max(std::ilogb(size), 1 - bias);
    double units = std::ldexp(size, format.fraction - exponent);
    units = whole(units, rounds ? draw : std::nullopt);
    if (units >= std::ldexp(2, format.fraction)) {
        units /= 2;
        ++exponent;
    }
    if (exponent > bias) return (format.overflows_to_nan ? nan : sign | infinity) << format.shift;
    const auto all = static_cast<std::uint32_t>(units);  // with the leading one unless subnormal
    const std::uint32_t leading = 1u << format.fraction;
    if (all < leading) return (sign | (format.flushes ? 0 : all)) << format.shift;
    return (sign | static_cast<std::uint32_t>(exponent + bias) << format.fraction | (all - leading))
           << format.shift;
}

// SplitMix64 (Steele, Lea, Flood, 2014).
inline std::uint64_t split_mix(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

// Returns the draw of element `number`; see docs/dma.md.
inline std::uint32_t oracle_draw(std::uint32_t seed, std::uint64_t number) {
    std::uint64_t state = (std::uint64_t{16} << 48) ^ seed;
    state = split_mix(state) ^ number;
    std::array<std::uint64_t, 3> words{};
    for (std::uint64_t& word : words) word = split_mix(state);
    // XORWOW (Marsaglia, 2003): x, y, z, w, v and the counter d.
    const auto x = static_cast<std::uint32_t>(words[0]), v = static_cast<std::uint32_t>(words[2]);
    auto d = static_cast<std::uint32_t>(words[2] >> 32);
    const std::uint32_t t = x ^ (x >> 2);
    const std::uint32_t next = (v ^ (v << 4)) ^ (t ^ (t << 1));
    d += 362437;
    return d + next;
}

inline float oracle_minimum(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return canonical_nan();
    const auto flushed = [](float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; };
    a = flushed(a);
    b = flushed(b);
    if (a == 0 && b == 0) return std::signbit(a) || std::signbit(b) ? -0.0f : 0.0f;
    return a < b ? a : b;
}
inline float oracle_maximum(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return canonical_nan();
    return -oracle_minimum(-a, -b);
}

// Combines scale * x with the element that is there; the first source has no such element.
inline float oracle_combine(isa::AluOp op, float scale, float x, float there) {
    switch (op) {
        case isa::AluOp::Bypass:
            return exact_multiply(scale, x);
        case isa::AluOp::Add:
            return exact_fma(scale, x, there);
        case isa::AluOp::Multiply:
            return exact_multiply(exact_multiply(scale, x), there);
        case isa::AluOp::Min:
            return oracle_minimum(exact_multiply(scale, x), there);
        case isa::AluOp::Max:
            return oracle_maximum(exact_multiply(scale, x), there);
        default:
            throw std::invalid_argument("no operation of the DMA engines");
    }
}

inline std::uint32_t element_at(const std::vector<std::uint8_t>& bytes, std::size_t index, int size) {
    std::uint32_t bits = 0;
    for (int i = 0; i < size; ++i)
        bits |= std::uint32_t{bytes[index * static_cast<std::size_t>(size) + static_cast<std::size_t>(i)]}
                << (8 * i);
    return bits;
}
inline void put_element(std::vector<std::uint8_t>& bytes, std::uint32_t bits, int size) {
    for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
}

}  // namespace trnsim::test
