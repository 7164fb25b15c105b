#include "arch/activation/activation.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>

#include "arch/activation/tables.hpp"
#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/flush_mode.hpp"
#include "arch/numerics/format.hpp"

namespace trnsim::activation {
namespace {

constexpr std::uint32_t SignBit = 0x80000000;
constexpr std::uint32_t FractionMask = 0x7fffff;
constexpr std::uint32_t Infinity = 0x7f800000;
constexpr std::uint32_t UpperHalf = 0x400000;  // fraction field of 1.5

float from_bits(std::uint32_t bits) {
    return std::bit_cast<float>(bits);
}
std::uint32_t to_bits(float value) {
    return std::bit_cast<std::uint32_t>(value);
}
std::uint32_t field_of(std::uint32_t bits) {
    return bits >> 23 & 0xff;
}
std::uint32_t flush(std::uint32_t bits) {
    return field_of(bits) == 0 ? bits & SignBit : bits;
}

// The operand with its exponent reduced, and the parts that were taken out.
struct Reduced {
    std::uint32_t bits;
    int scale;               // power of two of the result
    std::uint32_t exponent;  // biased exponent of a logarithm's operand, 127 otherwise
};

Reduced reduce(Mode mode, std::uint32_t bits) {
    const std::uint32_t field = field_of(bits);
    const std::uint32_t fraction = bits & FractionMask;
    const bool special = field == 0 || field == 255 || (mode != Mode::Reciprocal && (bits & SignBit) != 0);
    if (mode == Mode::Direct || special) return {bits, 0, 127};
    const int exponent = static_cast<int>(field) - 127;
    const std::uint32_t odd = static_cast<std::uint32_t>(exponent) & 1;
    switch (mode) {
        case Mode::Log: {
            const std::uint32_t up = fraction >= UpperHalf ? 1 : 0;
            return {fraction | (127 - up) << 23, 0, field + up};
        }
        case Mode::Reciprocal:
            return {(bits & SignBit) | fraction | 127u << 23, -exponent, 127};
        case Mode::Sqrt:
            return {fraction | (127 + odd) << 23, exponent >> 1, 127};
        default:
            return {fraction | (127 + odd) << 23, -(exponent >> 1), 127};
    }
}

// Returns value * 2^scale, exact except for overflow and the flush.
float scaled(float value, int scale) {
    const std::uint32_t bits = to_bits(value);
    const int field = static_cast<int>(field_of(bits));
    if (field == 0 || field == 255) return value;
    const int moved = field + scale;
    if (moved <= 0) return from_bits(bits & SignBit);
    if (moved >= 255) return from_bits((bits & SignBit) | Infinity);
    return from_bits((bits & (SignBit | FractionMask)) | static_cast<std::uint32_t>(moved) << 23);
}

// The function is out of line so that no arithmetic moves across a change of mode.
[[gnu::noinline]] float polynomial(const Function& f, const Row& row, float z, const Reduced& reduced,
                                   bool infinite) {
    const float t = infinite ? std::copysign(0.0f, z) : z - from_bits(row.x0);
    float value = from_bits(row.c[f.degree]);
    for (int k = f.degree - 1; k >= 0; --k) value = std::fma(value, t, from_bits(row.c[k]));
    if (f.mode == Mode::Log) {
        value = value + from_bits(exponent_low()[reduced.exponent]);
        value = value + from_bits(exponent_high()[reduced.exponent]);
    }
    return value;
}

float evaluate(unsigned code, float z) {
    const Function& f = function(code);
    const std::uint32_t bits = flush(to_bits(z));
    const Reduced reduced = reduce(f.mode, bits);
    const Segment& segment = segments()[code * 512 + (reduced.bits >> 23)];
    const Row& row = rows()[segment.base + ((reduced.bits & FractionMask) >> segment.shift)];
    const numerics::FlushMode mode;
    const float value = polynomial(f, row, from_bits(reduced.bits), reduced, (bits & ~SignBit) == Infinity);
    return std::isnan(value) ? from_bits(numerics::CanonicalNan)
                             : scaled(value, segment.scale + reduced.scale);
}

float sign(float z) {
    return z == 0 ? z : std::copysign(1.0f, z);
}

}  // namespace

float activate(isa::Activation code, float z, float alpha) {
    if (has_table(code)) return evaluate(static_cast<unsigned>(code), z);
    if (std::isnan(z)) return from_bits(numerics::CanonicalNan);
    const float x = from_bits(flush(to_bits(z)));
    switch (code) {
        case isa::Activation::Copy:
            return x;
        case isa::Activation::Square:
            return numerics::multiply(x, x);
        case isa::Activation::Relu:
            return numerics::maximum(x, 0.0f);
        case isa::Activation::Abs:
            return std::fabs(x);
        case isa::Activation::Sign:
            return sign(x);
        case isa::Activation::Prelu:
            return x >= 0 ? x : numerics::multiply(alpha, x);
        default:
            throw std::invalid_argument("not an activation function");
    }
}

bool has_table(isa::Activation code) {
    const auto index = static_cast<unsigned>(code);
    return index < FunctionCount && function(index).degree != 0;
}

bool in_set(isa::Activation code, isa::ActivationSet set) {
    const auto index = static_cast<unsigned>(set);
    if (!has_table(code)) return true;
    return index < SetCount && (set_functions(index) >> static_cast<unsigned>(code) & 1) != 0;
}

}  // namespace trnsim::activation
