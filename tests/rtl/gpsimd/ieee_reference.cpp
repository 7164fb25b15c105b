#include "rtl/gpsimd/ieee_reference.hpp"

#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace trnsim::test {
namespace {

constexpr std::uint32_t CanonicalNan = 0x7fc00000, Infinity = 0x7f800000, Largest = 0x7f7fffff,
                        Sign = 0x80000000;

bool is_nan(std::uint32_t bits) {
    return (bits & ~Sign) > Infinity;
}

bool is_signaling(std::uint32_t bits) {
    return is_nan(bits) && (bits & 0x00400000) == 0;
}

bool is_infinite(std::uint32_t bits) {
    return (bits & ~Sign) == Infinity;
}

bool is_zero(std::uint32_t bits) {
    return (bits & ~Sign) == 0;
}

bool is_negative(std::uint32_t bits) {
    return (bits & Sign) != 0;
}

// A number with enough bits for exact sums and products of three floats: their places span less than 1,000.
class Number {
  public:
    Number() { mpfr_init2(value_, Precision); }
    explicit Number(std::uint32_t bits) : Number() {
        mpfr_set_flt(value_, std::bit_cast<float>(bits), MPFR_RNDN);
    }
    Number(const Number& other) : Number() { mpfr_set(value_, other.value_, MPFR_RNDN); }
    Number& operator=(const Number& other) {
        mpfr_set(value_, other.value_, MPFR_RNDN);
        return *this;
    }
    ~Number() { mpfr_clear(value_); }
    mpfr_ptr get() { return value_; }
    mpfr_srcptr get() const { return value_; }

    bool negative() const { return mpfr_signbit(value_) != 0; }
    bool zero() const { return mpfr_zero_p(value_) != 0; }
    // The magnitude lies in [2^(exponent - 1), 2^exponent).
    long exponent() const { return mpfr_get_exp(value_); }

    // An inexact quotient or root is above its first 1,000 bits; one more bit says so.
    void keep_rest(bool exact) {
        if (exact) return;
        mpfr_prec_round(value_, Precision + 1, MPFR_RNDZ);
        if (negative()) {
            mpfr_nextbelow(value_);
        } else {
            mpfr_nextabove(value_);
        }
    }

  private:
    static constexpr mpfr_prec_t Precision = 1000;
    mpfr_t value_;
};

// A number as a multiple of 2^place.
struct Rounded {
    std::uint64_t multiple;
    bool exact;
};

Rounded round_to(const Number& number, long place, RoundingMode mode) {
    Number scaled(number), whole;
    mpfr_mul_2si(scaled.get(), scaled.get(), -place, MPFR_RNDZ);
    mpfr_abs(scaled.get(), scaled.get(), MPFR_RNDZ);
    mpfr_trunc(whole.get(), scaled.get());
    const std::uint64_t multiple = mpfr_get_uj(whole.get(), MPFR_RNDZ);
    mpfr_sub(scaled.get(), scaled.get(), whole.get(), MPFR_RNDZ);
    const bool exact = mpfr_zero_p(scaled.get()) != 0;
    const int half = mpfr_cmp_d(scaled.get(), 0.5);
    bool up = false;
    switch (mode) {
        case RoundingMode::NearestEven:
            up = half > 0 || (half == 0 && (multiple & 1) != 0);
            break;
        case RoundingMode::Zero:
            break;
        case RoundingMode::Down:
            up = !exact && number.negative();
            break;
        case RoundingMode::Up:
            up = !exact && !number.negative();
            break;
        case RoundingMode::NearestAway:
            up = half >= 0;
            break;
    }
    return {multiple + (up ? 1 : 0), exact};
}

// The number must not be zero.
FpResult to_float(const Number& number, RoundingMode mode) {
    constexpr long Significand = 24, LeastPlace = -149, LeastNormal = -126, Limit = 128;
    const std::uint32_t sign = number.negative() ? Sign : 0;
    const long place = std::max(number.exponent() - Significand, LeastPlace);
    const Rounded rounded = round_to(number, place, mode);
    const float magnitude = std::ldexp(static_cast<float>(rounded.multiple), static_cast<int>(place));
    if (std::ldexp(static_cast<double>(rounded.multiple), static_cast<int>(place)) >=
        std::ldexp(1.0, Limit)) {
        const bool infinite = mode == RoundingMode::NearestEven || mode == RoundingMode::NearestAway ||
                              mode == (number.negative() ? RoundingMode::Down : RoundingMode::Up);
        return {sign | (infinite ? Infinity : Largest), Overflow | Inexact};
    }
    // Rounds as if exponents were unlimited.
    const long free_place = number.exponent() - Significand;
    const std::uint64_t free_multiple = round_to(number, free_place, mode).multiple;
    const bool tiny = static_cast<long>(std::bit_width(free_multiple)) + free_place <= LeastNormal;
    std::uint8_t flags = rounded.exact ? 0 : Inexact;
    if (tiny && !rounded.exact) flags |= Underflow;
    return {sign | std::bit_cast<std::uint32_t>(magnitude), flags};
}

FpResult invalid() {
    return {CanonicalNan, Invalid};
}

FpResult multiply_add(std::uint32_t a, std::uint32_t b, std::uint32_t c, RoundingMode mode) {
    const std::uint32_t product_sign = (a ^ b) & Sign;
    const bool no_product = (is_infinite(a) && is_zero(b)) || (is_zero(a) && is_infinite(b));
    if (is_signaling(a) || is_signaling(b) || is_signaling(c) || no_product) return invalid();
    if (is_nan(a) || is_nan(b) || is_nan(c)) return {CanonicalNan, 0};
    if (is_infinite(a) || is_infinite(b)) {
        if (is_infinite(c) && (c & Sign) != product_sign) return invalid();
        return {product_sign | Infinity, 0};
    }
    if (is_infinite(c)) return {c, 0};
    const Number x(a), y(b), z(c);
    Number sum;
    if (mpfr_fma(sum.get(), x.get(), y.get(), z.get(), MPFR_RNDZ) != 0)
        throw std::logic_error("the sum is not exact");
    if (!sum.zero()) return to_float(sum, mode);
    const bool product_zero = is_zero(a) || is_zero(b);
    if (product_zero && is_zero(c) && product_sign == (c & Sign)) return {product_sign, 0};
    return {mode == RoundingMode::Down ? Sign : 0, 0};
}

// A multiplication has no addend that could change the sign of a zero.
FpResult multiply(std::uint32_t a, std::uint32_t b, RoundingMode mode) {
    return multiply_add(a, b, (a ^ b) & Sign, mode);
}

FpResult divide(std::uint32_t a, std::uint32_t b, RoundingMode mode) {
    const std::uint32_t sign = (a ^ b) & Sign;
    if (is_signaling(a) || is_signaling(b)) return invalid();
    if (is_nan(a) || is_nan(b)) return {CanonicalNan, 0};
    if ((is_infinite(a) && is_infinite(b)) || (is_zero(a) && is_zero(b))) return invalid();
    if (is_infinite(a)) return {sign | Infinity, 0};
    if (is_infinite(b) || is_zero(a)) return {sign, 0};
    if (is_zero(b)) return {sign | Infinity, DivideByZero};
    const Number x(a), y(b);
    Number quotient;
    quotient.keep_rest(mpfr_div(quotient.get(), x.get(), y.get(), MPFR_RNDZ) == 0);
    return to_float(quotient, mode);
}

FpResult square_root(std::uint32_t a, RoundingMode mode) {
    if (is_signaling(a)) return invalid();
    if (is_nan(a)) return {CanonicalNan, 0};
    if (is_zero(a)) return {a, 0};
    if (is_negative(a)) return invalid();
    if (is_infinite(a)) return {a, 0};
    const Number x(a);
    Number root;
    root.keep_rest(mpfr_sqrt(root.get(), x.get(), MPFR_RNDZ) == 0);
    return to_float(root, mode);
}

FpResult compare(FpOp op, std::uint32_t a, std::uint32_t b) {
    const bool quiet = op == FpOp::Eq || op == FpOp::Ne;
    const bool unordered = is_nan(a) || is_nan(b);
    const bool raises = quiet ? is_signaling(a) || is_signaling(b) : unordered;
    const float x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
    bool truth = false;
    switch (op) {
        case FpOp::Eq:
            truth = x == y;
            break;
        case FpOp::Ne:
            truth = x != y;
            break;
        case FpOp::Lt:
            truth = x < y;
            break;
        case FpOp::Le:
            truth = x <= y;
            break;
        case FpOp::Gt:
            truth = x > y;
            break;
        default:
            truth = x >= y;
            break;
    }
    return {truth ? 1u : 0u, static_cast<std::uint8_t>(raises ? Invalid : 0)};
}

FpResult min_max(bool maximum, std::uint32_t a, std::uint32_t b) {
    const std::uint8_t flags = is_signaling(a) || is_signaling(b) ? Invalid : 0;
    if (is_nan(a) && is_nan(b)) return {CanonicalNan, flags};
    if (is_nan(a)) return {b, flags};
    if (is_nan(b)) return {a, flags};
    if (is_zero(a) && is_zero(b)) return {maximum ? a & b : a | b, flags};
    const bool a_less = std::bit_cast<float>(a) < std::bit_cast<float>(b);
    return {a_less == maximum ? b : a, flags};
}

std::uint32_t classify(std::uint32_t a) {
    if (is_nan(a)) return is_signaling(a) ? 1u << 8 : 1u << 9;
    const auto mirrored = [a](unsigned bit) { return 1u << (is_negative(a) ? 7 - bit : bit); };
    switch (std::fpclassify(std::bit_cast<float>(a))) {
        case FP_ZERO:
            return mirrored(4);
        case FP_SUBNORMAL:
            return mirrored(5);
        case FP_NORMAL:
            return mirrored(6);
        default:
            return mirrored(7);
    }
}

FpResult to_integer(std::uint32_t a, bool is_signed, unsigned bits, RoundingMode mode) {
    const std::int64_t largest = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    const std::int64_t least = is_signed ? -largest - 1 : 0;
    const auto saturated = [&](bool low) {
        return FpResult{static_cast<std::uint32_t>(low ? least : largest), Invalid};
    };
    if (is_nan(a)) return saturated(false);
    if (is_infinite(a)) return saturated(is_negative(a));
    if (is_zero(a)) return {0, 0};
    const Number number(a);
    if (number.exponent() > 40) return saturated(number.negative());
    const Rounded rounded = round_to(number, 0, mode);
    const auto magnitude = static_cast<std::int64_t>(rounded.multiple);
    const std::int64_t value = number.negative() ? -magnitude : magnitude;
    if (value > largest || value < least) return saturated(number.negative());
    return {static_cast<std::uint32_t>(value), static_cast<std::uint8_t>(rounded.exact ? 0 : Inexact)};
}

FpResult from_integer(std::uint32_t a, bool is_signed, RoundingMode mode) {
    if (a == 0) return {0, 0};
    Number number;
    mpfr_set_sj(number.get(), is_signed ? std::intmax_t{static_cast<std::int32_t>(a)} : std::intmax_t{a},
                MPFR_RNDN);
    return to_float(number, mode);
}

}  // namespace

FpResult ieee(FpOp op, const FpOperands& operands, RoundingMode mode, unsigned bits) {
    const auto [a, b, c] = operands;
    constexpr std::uint32_t One = 0x3f800000;
    const auto negated = [](std::uint32_t value) { return value ^ Sign; };
    switch (op) {
        case FpOp::Add:
            return multiply_add(a, One, b, mode);
        case FpOp::Sub:
            return multiply_add(a, One, negated(b), mode);
        case FpOp::Rsub:
            return multiply_add(b, One, negated(a), mode);
        case FpOp::Mul:
            return multiply(a, b, mode);
        case FpOp::Madd:
            return multiply_add(a, b, c, mode);
        case FpOp::Msub:
            return multiply_add(a, b, negated(c), mode);
        case FpOp::Nmsub:
            return multiply_add(negated(a), b, c, mode);
        case FpOp::Nmadd:
            return multiply_add(negated(a), b, negated(c), mode);
        case FpOp::Div:
            return divide(a, b, mode);
        case FpOp::Sqrt:
            return square_root(a, mode);
        case FpOp::Sgnj:
            return {(b & Sign) | (a & ~Sign), 0};
        case FpOp::Sgnjn:
            return {(negated(b) & Sign) | (a & ~Sign), 0};
        case FpOp::Sgnjx:
            return {a ^ (b & Sign), 0};
        case FpOp::Min:
        case FpOp::Max:
            return min_max(op == FpOp::Max, a, b);
        case FpOp::ToInt:
        case FpOp::ToUint:
            return to_integer(a, op == FpOp::ToInt, bits, mode);
        case FpOp::FromInt:
        case FpOp::FromUint:
            return from_integer(a, op == FpOp::FromInt, mode);
        case FpOp::Move:
            return {a, 0};
        case FpOp::Class:
            return {classify(a), 0};
        case FpOp::Eq:
        case FpOp::Lt:
        case FpOp::Le:
        case FpOp::Ne:
        case FpOp::Gt:
        case FpOp::Ge:
            return compare(op, a, b);
        default:
            throw std::invalid_argument("an operation that is made of others");
    }
}

}  // namespace trnsim::test
