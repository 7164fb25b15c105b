#include "model/rv32/floats.hpp"

#include <algorithm>
#include <cfenv>

namespace trnsim::rv32 {

namespace {

using u32 = std::uint32_t;

constexpr int SignificandBits = 24, LeastPlace = -149, LeastNormal = -126, Limit = 128;

// A magnitude as a multiple of 2^place; ties are rounded up.
struct Multiple {
    std::uint64_t value;
    bool exact;
};
Multiple multiple_of(double magnitude, int place) {
    const double scaled = std::ldexp(magnitude, -place);
    const auto whole = static_cast<std::uint64_t>(scaled);
    const double rest = scaled - static_cast<double>(whole);
    return {whole + (rest >= 0.5 ? 1 : 0), rest == 0};
}

}  // namespace

// Moves the flags that the host has collected to the core's flags.
OddScope::OddScope(State& state) : state_(state) {
    state_.fflags = flags(state_);
    std::feclearexcept(FE_ALL_EXCEPT);
    set_host_mode(state_, TowardZero);
}

OddScope::~OddScope() {
    std::feclearexcept(FE_ALL_EXCEPT);
}

u32 OddScope::finish(double rounded_to_zero) {
    const int raised = std::fetestexcept(FE_ALL_EXCEPT);
    if ((raised & FE_INVALID) != 0) state_.fflags |= Invalid;
    if ((raised & FE_DIVBYZERO) != 0) state_.fflags |= DivideByZero;
    auto bits = std::bit_cast<std::uint64_t>(rounded_to_zero);
    if ((raised & FE_INEXACT) != 0) bits |= 1;
    return nearest_away(state_, std::bit_cast<double>(bits));
}

u32 nearest_away(State& state, double odd) {
    const u32 sign = std::signbit(odd) ? Sign : 0;
    const double magnitude = std::fabs(odd);
    if (std::isnan(odd)) return CanonicalNan;
    if (std::isinf(odd)) return sign | Infinity;
    if (magnitude == 0) return sign;
    const int exponent = std::ilogb(magnitude);  // 2^exponent <= magnitude
    const int free_place = exponent - SignificandBits + 1, place = std::max(free_place, LeastPlace);
    const Multiple result = multiple_of(magnitude, place);
    if (std::ldexp(static_cast<double>(result.value), place) >= std::ldexp(1.0, Limit)) {
        state.fflags |= Overflow | Inexact;
        return sign | Infinity;
    }
    if (!result.exact) {
        state.fflags |= Inexact;
        // Rounds as if exponents had no bounds.
        const Multiple free = multiple_of(magnitude, free_place);
        if (std::ldexp(static_cast<double>(free.value), free_place) < std::ldexp(1.0, LeastNormal))
            state.fflags |= Underflow;
    }
    const auto value = static_cast<float>(std::ldexp(static_cast<double>(result.value), place));
    return sign | std::bit_cast<u32>(value);
}

u32 float_class(u32 a) {
    const bool negative = (a & Sign) != 0;
    if (is_nan(a)) return is_signaling(a) ? 1U << 8 : 1U << 9;
    const u32 magnitude = a & ~Sign;
    const unsigned positive = magnitude == Infinity ? 7 : magnitude == 0 ? 4 : magnitude < 0x00800000 ? 5 : 6;
    return 1U << (negative ? 7 - positive : positive);
}

u32 to_integer(State& s, u32 a, bool is_signed, unsigned bits, u32 mode) {
    const bool negative = (a & Sign) != 0;
    const std::int64_t largest = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    const std::int64_t least = is_signed ? -largest - 1 : 0;
    const auto saturated = [&](bool low) {
        s.fflags |= Invalid;
        return static_cast<u32>(low ? least : largest);
    };
    if (is_nan(a)) return saturated(false);
    const int exponent = static_cast<int>(a >> 23 & 255) - 127;
    if (exponent > 32) return saturated(negative);
    if (is_zero(a)) return 0;
    // The magnitude is significand * 2^shift.
    const std::uint64_t significand = (a & 0x7fffff) | (exponent == -127 ? 0 : 0x800000);
    const int shift = std::max(exponent, LeastNormal) - (SignificandBits - 1);
    std::uint64_t magnitude = 0;
    bool exact = true;
    if (shift >= 0) {
        magnitude = significand << shift;
    } else {
        const int right = std::min(-shift, 40);
        magnitude = significand >> right;
        const std::uint64_t rest = significand & ((std::uint64_t{1} << right) - 1),
                            half = std::uint64_t{1} << (right - 1);
        exact = rest == 0;
        const bool ups[] = {rest > half || (rest == half && (magnitude & 1) != 0), false, !exact && negative,
                            !exact && !negative, rest >= half};
        magnitude += ups[mode] ? 1 : 0;
    }
    const auto value =
        negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
    if (value > largest || value < least) return saturated(negative);
    if (!exact) s.fflags |= Inexact;
    return static_cast<u32>(value);
}

u32 from_integer(State& s, std::int64_t value, u32 mode) {
    if (mode != NearestAway) return std::bit_cast<u32>(static_cast<float>(value));
    OddScope scope(s);
    return scope.finish(static_cast<double>(value));
}

namespace {

// Returns the fraction of an estimate: the reciprocal of the middle of interval `of` of 2^7 equal intervals
// of [1, 2), rounded to 8 bits.
u32 reciprocal_fraction(u32 of) {
    // 1 / (1 + (2 of + 1) / 256), times 2^8, to nearest.
    const u32 middle = 257 + 2 * of;
    return (2 * 65536 / middle + 1) / 2 - 128;
}

// Does the same for the reciprocal of the square root, with 64 intervals each of [1, 2) and of [2, 4).
u32 root_fraction(bool upper, u32 of) {
    // Finds the largest estimate e / 2^8 for which half a step less is not above 1 / sqrt(x), x = middle /
    // 128 in [1, 4).
    const std::uint64_t middle = (129 + 2 * std::uint64_t{of}) * (upper ? 2 : 1);
    u32 estimate = 128;
    // (2 e + 1)^2 middle <= 2^25 means that e + 1 is nearer.
    while (std::uint64_t{2 * estimate + 1} * (2 * estimate + 1) * middle <= std::uint64_t{1} << 25)
        ++estimate;
    return estimate - 128;
}

// A nonzero float as 1.significand * 2^exponent; the exponent is biased.
struct Normalised {
    std::int32_t exponent;
    u32 significand;
};
Normalised normalised(u32 a) {
    std::int32_t exponent = static_cast<std::int32_t>(a >> 23 & 255);
    u32 significand = a & 0x7fffff;
    if (exponent != 0) return {exponent, significand};
    const int zeros = std::countl_zero(significand) - 8;
    return {1 - zeros, significand << zeros & 0x7fffff};
}

}  // namespace

u32 reciprocal_estimate(State& s, u32 a, u32 mode) {
    const u32 sign = a & Sign;
    if (is_nan(a)) {
        if (is_signaling(a)) s.fflags |= Invalid;
        return CanonicalNan;
    }
    if (is_infinite(a)) return sign;
    if (is_zero(a)) {
        s.fflags |= DivideByZero;
        return sign | Infinity;
    }
    const Normalised number = normalised(a);
    if (number.exponent < -1) {  // the reciprocal is beyond the largest number
        s.fflags |= Overflow | Inexact;
        const bool infinite = mode == NearestEven || mode == NearestAway || mode == (sign ? Down : Up);
        return sign | (infinite ? Infinity : Largest);
    }
    const u32 fraction = reciprocal_fraction(number.significand >> 16) << 16;
    const std::int32_t exponent = 253 - number.exponent;
    if (exponent > 0) return sign | static_cast<u32>(exponent) << 23 | fraction;
    return sign | (fraction | 0x800000) >> (1 - exponent);  // one or two below the normal numbers
}

u32 root_estimate(State& s, u32 a) {
    if (is_zero(a)) {
        s.fflags |= DivideByZero;
        return (a & Sign) | Infinity;
    }
    if (is_nan(a) || (a & Sign) != 0) {
        if (is_signaling(a) || !is_nan(a)) s.fflags |= Invalid;
        return CanonicalNan;
    }
    if (is_infinite(a)) return 0;
    const Normalised number = normalised(a);
    const bool upper = (number.exponent & 1) == 0;  // an odd power of two
    return static_cast<u32>((380 - number.exponent) >> 1) << 23 |
           root_fraction(upper, number.significand >> 17) << 16;
}

}  // namespace trnsim::rv32
