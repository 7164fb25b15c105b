#include "arch/activation/generator/accuracy.hpp"

#include <bit>
#include <cmath>
#include <random>

#include "arch/activation/activation.hpp"

namespace trnsim::activation {
namespace {

constexpr std::uint32_t SignBit = 0x80000000;

// Sets `expected` to a result that the definition gives explicitly; false if the function's value counts.
bool special(const Definition& f, std::uint32_t bits, float& expected) {
    const std::uint32_t field = bits >> 23 & 0xff;
    const bool negative = (bits & SignBit) != 0;
    if (field == 0) {
        expected = negative ? f.at_minus_zero : f.at_plus_zero;
    } else if (field == 255 && (bits & 0x7fffff) == 0) {
        expected = negative ? f.at_minus_infinity : f.at_plus_infinity;
    } else if (field == 255 || static_cast<int>(field) >= f.first_undefined_field ||
               (negative && f.mode != Mode::Direct && f.mode != Mode::Reciprocal)) {
        expected = std::nanf("");
    } else {
        return false;
    }
    return true;
}

bool same(float a, float b) {
    return (std::isnan(a) && std::isnan(b)) ||
           std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

}  // namespace

Worst error_at(const Definition& f, std::uint32_t operand) {
    const auto z = std::bit_cast<float>(operand);
    const float found = activate(f.function, z, 0);
    float expected = 0;
    if (special(f, operand, expected)) return {0, operand, same(found, expected) ? 0u : 1u};
    const long double exact = f.value(Real(z)).to_long_double();
    const long double size = std::fabs(exact);
    const Worst wrong{0, operand, 1};
    // The exact result may become infinity from just below the middle above the largest fp32 on, and zero
    // below a value just above 2^-126.
    if (std::isinf(found))
        return size > 0x1.fffffcp127L && std::signbit(found) == std::signbit(exact) ? Worst{} : wrong;
    if (found == 0)
        return size < 0x1.000008p-126L && (size == 0 || std::signbit(found) == std::signbit(exact)) ? Worst{}
                                                                                                    : wrong;
    if (std::isnan(found) || size < 0x1.fffff0p-127L) return wrong;
    const int exponent = std::max(std::ilogb(exact), -126);
    const long double units =
        std::fabs(static_cast<long double>(found) - exact) / std::ldexp(1.0L, exponent - 23);
    return {static_cast<double>(units), operand, 0};
}

Worst error_over_bf16(const Definition& f) {
    Worst worst;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) worst.take(error_at(f, bits << 16));
    return worst;
}

Worst error_over_random(const Definition& f, std::uint64_t count, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    Worst worst;
    for (std::uint64_t k = 0; k < count; ++k) {
        const auto word = static_cast<std::uint32_t>(generator());
        // Three of four operands are near 1: exponent fields 112 to 143.
        const std::uint32_t field = k % 4 == 0 ? word >> 23 & 0xff : 112 + (word >> 23 & 31);
        worst.take(error_at(f, (word & 0x807fffff) | field << 23));
    }
    return worst;
}

}  // namespace trnsim::activation
