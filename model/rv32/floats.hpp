// IEEE 754 binary32 arithmetic as in RISC-V: NaN results are canonical, tininess is detected after rounding.
//
// Operations that round are the host's, in the host's rounding mode, and the host collects their flags. Hosts
// do not have round-to-nearest with ties away: this mode rounds a double-precision result that was rounded to
// odd. All other operations work on bits.
#pragma once

#include <bit>
#include <cmath>
#include <type_traits>

#include "model/rv32/state.hpp"

namespace trnsim::rv32 {

constexpr std::uint32_t CanonicalNan = 0x7fc00000, Infinity = 0x7f800000, Largest = 0x7f7fffff,
                        Sign = 0x80000000;

enum RoundingMode : std::uint32_t { NearestEven, TowardZero, Down, Up, NearestAway };

constexpr bool is_nan(std::uint32_t a) {
    return (a & ~Sign) > Infinity;
}
constexpr bool is_signaling(std::uint32_t a) {
    return is_nan(a) && (a & 0x00400000) == 0;
}
constexpr bool is_zero(std::uint32_t a) {
    return (a & ~Sign) == 0;
}
constexpr bool is_infinite(std::uint32_t a) {
    return (a & ~Sign) == Infinity;
}
constexpr std::uint32_t canonical(std::uint32_t a) {
    return is_nan(a) ? CanonicalNan : a;
}

inline float fused(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
inline double fused(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
inline float root(float a) {
    return __builtin_sqrtf(a);
}
inline double root(double a) {
    return __builtin_sqrt(a);
}

// The operations that round, in any precision.
template <int N>
struct Operation {
    static constexpr int Operands = N;
};
struct FloatAdd : Operation<2> {
    template <class R>
    static R of(R a, R b, R) {
        return a + b;
    }
};
struct FloatSub : Operation<2> {
    template <class R>
    static R of(R a, R b, R) {
        return a - b;
    }
};
struct FloatReverseSub : Operation<2> {
    template <class R>
    static R of(R a, R b, R) {
        return b - a;
    }
};
struct FloatMul : Operation<2> {
    template <class R>
    static R of(R a, R b, R) {
        return a * b;
    }
};
struct FloatDiv : Operation<2> {
    template <class R>
    static R of(R a, R b, R) {
        return a / b;
    }
};
struct FloatReverseDiv : Operation<2> {
    template <class R>
    static R of(R a, R b, R) {
        return b / a;
    }
};
struct FloatRoot : Operation<1> {
    template <class R>
    static R of(R a, R, R) {
        return root(a);
    }
};
struct FloatMadd : Operation<3> {  // a b + c
    template <class R>
    static R of(R a, R b, R c) {
        return fused(a, b, c);
    }
};
struct FloatMsub : Operation<3> {  // a b - c
    template <class R>
    static R of(R a, R b, R c) {
        return fused(a, b, -c);
    }
};
struct FloatNmsub : Operation<3> {  // -a b + c
    template <class R>
    static R of(R a, R b, R c) {
        return fused(-a, b, c);
    }
};
struct FloatNmadd : Operation<3> {  // -a b - c
    template <class R>
    static R of(R a, R b, R c) {
        return fused(-a, b, -c);
    }
};

// Returns the float nearest to a number that was rounded to odd, ties away from zero, with the flags of that
// rounding.
std::uint32_t nearest_away(State& state, double odd);

// An operation in double precision, rounded to odd.
class OddScope {
  public:
    explicit OddScope(State& state);
    ~OddScope();  // clears the host's flags
    OddScope(const OddScope&) = delete;
    OddScope& operator=(const OddScope&) = delete;
    std::uint32_t finish(double rounded_to_zero);

  private:
    State& state_;
};

template <class F>
std::uint32_t nearest_away_of(State& s, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    OddScope scope(s);
    // Unused operands are 0 because their conversion could raise flags.
    const volatile double x = std::bit_cast<float>(a), y = F::Operands > 1 ? std::bit_cast<float>(b) : 0.0F,
                          z = F::Operands > 2 ? std::bit_cast<float>(c) : 0.0F;
    const volatile double result = F::template of<double>(x, y, z);
    return scope.finish(result);
}

// `mode` must be the host's rounding mode, or NearestAway, which the host does not have.
template <class F>
std::uint32_t rounded(State& s, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t mode) {
    std::uint32_t result = 0;
    if (mode == NearestAway) {
        result = nearest_away_of<F>(s, a, b, c);
    } else {
        result = canonical(std::bit_cast<std::uint32_t>(F::template of<float>(
            std::bit_cast<float>(a), std::bit_cast<float>(b), std::bit_cast<float>(c))));
    }
    // A product of zero and infinity is invalid whatever is added; hosts differ if the addend is a NaN.
    if (F::Operands == 3 && result == CanonicalNan &&
        ((is_infinite(a) && is_zero(b)) || (is_zero(a) && is_infinite(b))))
        s.fflags |= Invalid;
    return result;
}

// The operations on bits.
using BitOperation = std::uint32_t (*)(State& state, std::uint32_t a, std::uint32_t b);

// Returns an integer that orders floats which are no NaN.
constexpr std::int32_t order(std::uint32_t a) {
    const auto bits = static_cast<std::int32_t>(a);
    return bits < 0 ? static_cast<std::int32_t>(Sign - a) : bits;
}

template <bool Maximum>
std::uint32_t float_extreme(State& s, std::uint32_t a, std::uint32_t b) {
    if (is_nan(a) || is_nan(b)) {
        if (is_signaling(a) || is_signaling(b)) s.fflags |= Invalid;
        return is_nan(a) ? canonical(b) : a;
    }
    if (is_zero(a) && is_zero(b)) return Maximum ? a & b : a | b;
    return (order(a) < order(b)) == Maximum ? b : a;
}

inline std::uint32_t float_sign(State&, std::uint32_t a, std::uint32_t b) {
    return (b & Sign) | (a & ~Sign);
}
inline std::uint32_t float_other_sign(State&, std::uint32_t a, std::uint32_t b) {
    return (~b & Sign) | (a & ~Sign);
}
inline std::uint32_t float_product_sign(State&, std::uint32_t a, std::uint32_t b) {
    return a ^ (b & Sign);
}

enum class Compare { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

template <Compare C>
std::uint32_t float_compare(State& s, std::uint32_t a, std::uint32_t b) {
    constexpr bool Quiet = C == Compare::Equal || C == Compare::NotEqual;
    if (is_nan(a) || is_nan(b)) {
        if (!Quiet || is_signaling(a) || is_signaling(b)) s.fflags |= Invalid;
        return C == Compare::NotEqual;
    }
    const std::int32_t x = order(a), y = order(b);
    switch (C) {
        case Compare::Equal:
            return x == y;
        case Compare::NotEqual:
            return x != y;
        case Compare::Less:
            return x < y;
        case Compare::LessEqual:
            return x <= y;
        case Compare::Greater:
            return x > y;
        default:
            return x >= y;
    }
}

std::uint32_t float_class(std::uint32_t a);

// Converts to an integer of `bits` bits, saturating, sign-extended to 32.
std::uint32_t to_integer(State& state, std::uint32_t a, bool is_signed, unsigned bits, std::uint32_t mode);
// Converts in the host's rounding mode, which is `mode` if the host has it.
std::uint32_t from_integer(State& state, std::int64_t value, std::uint32_t mode);

// Return estimates of the reciprocal and of the reciprocal square root to 7 bits.
std::uint32_t reciprocal_estimate(State& state, std::uint32_t a, std::uint32_t mode);
std::uint32_t root_estimate(State& state, std::uint32_t a);

}  // namespace trnsim::rv32
