#include "compiler/hlo/evaluate/kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "compiler/hlo/evaluate/convert.hpp"

namespace trnsim::hlo::evaluate {
namespace {

using Signed = std::int64_t;

Cell low_bits(Cell value, unsigned bits) {
    return bits == 64 ? value : value & ((Cell{1} << bits) - 1);
}

// Loops over cells, for functions of one and of two of them.
template <double (*F)(double)>
void real_unary(const Cell* const* in, Cell* out, std::size_t count, unsigned) {
    for (std::size_t i = 0; i < count; ++i) out[i] = cell(F(real(in[0][i])));
}
template <double (*F)(double, double)>
void real_binary(const Cell* const* in, Cell* out, std::size_t count, unsigned) {
    for (std::size_t i = 0; i < count; ++i) out[i] = cell(F(real(in[0][i]), real(in[1][i])));
}
template <Cell (*F)(Cell, unsigned)>
void bits_unary(const Cell* const* in, Cell* out, std::size_t count, unsigned bits) {
    for (std::size_t i = 0; i < count; ++i) out[i] = F(in[0][i], bits);
}
template <Cell (*F)(Cell, Cell, unsigned)>
void bits_binary(const Cell* const* in, Cell* out, std::size_t count, unsigned bits) {
    for (std::size_t i = 0; i < count; ++i) out[i] = F(in[0][i], in[1][i], bits);
}

double add(double a, double b) {
    return a + b;
}
double subtract(double a, double b) {
    return a - b;
}
double multiply(double a, double b) {
    return a * b;
}
double divide(double a, double b) {
    return a / b;
}
double remainder_of(double a, double b) {
    return std::fmod(a, b);
}
double power(double a, double b) {
    return std::pow(a, b);
}
double arc_tangent(double a, double b) {
    return std::atan2(a, b);
}
// NaN in one operand is NaN in the result; +0 is more than -0.
double maximum(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
}
double minimum(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    return a < b || (a == b && std::signbit(a)) ? a : b;
}

double absolute(double x) {
    return std::fabs(x);
}
double negate(double x) {
    return -x;
}
double sign(double x) {
    return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x);
}
double rsqrt(double x) {
    return 1 / std::sqrt(x);
}
double logistic(double x) {
    return 1 / (1 + std::exp(-x));
}
double ceiling(double x) {
    return std::ceil(x);
}
double floor_of(double x) {
    return std::floor(x);
}
double round_away(double x) {
    return std::round(x);
}
double round_even(double x) {
    return std::nearbyint(x);
}
double square_root(double x) {
    return std::sqrt(x);
}
double cube_root(double x) {
    return std::cbrt(x);
}
double cosine(double x) {
    return std::cos(x);
}
double sine(double x) {
    return std::sin(x);
}
double tangent(double x) {
    return std::tan(x);
}
double tanh_of(double x) {
    return std::tanh(x);
}
double cosh_of(double x) {
    return std::cosh(x);
}
double sinh_of(double x) {
    return std::sinh(x);
}
double acos_of(double x) {
    return std::acos(x);
}
double acosh_of(double x) {
    return std::acosh(x);
}
double asin_of(double x) {
    return std::asin(x);
}
double asinh_of(double x) {
    return std::asinh(x);
}
double atanh_of(double x) {
    return std::atanh(x);
}
double exponential(double x) {
    return std::exp(x);
}
double exponential_minus_one(double x) {
    return std::expm1(x);
}
double logarithm(double x) {
    return std::log(x);
}
double log_plus_one(double x) {
    return std::log1p(x);
}
double error_function(double x) {
    return std::erf(x);
}

Cell add(Cell a, Cell b, unsigned) {
    return a + b;
}
Cell subtract(Cell a, Cell b, unsigned) {
    return a - b;
}
Cell multiply(Cell a, Cell b, unsigned) {
    return a * b;
}
Cell bit_and(Cell a, Cell b, unsigned) {
    return a & b;
}
Cell bit_or(Cell a, Cell b, unsigned) {
    return a | b;
}
Cell bit_xor(Cell a, Cell b, unsigned) {
    return a ^ b;
}
Cell bit_not(Cell a, unsigned) {
    return ~a;
}
Cell logical_not(Cell a, unsigned) {
    return a ^ 1;
}
Cell negate(Cell a, unsigned) {
    return Cell{0} - a;
}
Cell leading_zeros(Cell a, unsigned bits) {
    return static_cast<Cell>(std::countl_zero(low_bits(a, bits))) - (64 - bits);
}
Cell population(Cell a, unsigned bits) {
    return static_cast<Cell>(std::popcount(low_bits(a, bits)));
}
Cell same(Cell a, unsigned) {
    return a;
}
Cell is_positive(Cell a, unsigned) {
    return a != 0 ? 1 : 0;
}
Cell absolute(Cell a, unsigned) {
    return static_cast<Signed>(a) < 0 ? Cell{0} - a : a;
}
Cell signed_sign(Cell a, unsigned) {
    return static_cast<Signed>(a) < 0 ? ~Cell{0} : is_positive(a, 64);
}

// A shift by the width or more leaves nothing, or the sign.
Cell shift_left(Cell a, Cell by, unsigned bits) {
    return low_bits(by, bits) < bits ? a << low_bits(by, bits) : 0;
}
Cell shift_right_logical(Cell a, Cell by, unsigned bits) {
    return low_bits(by, bits) < bits ? low_bits(a, bits) >> low_bits(by, bits) : 0;
}
Cell shift_right_arithmetic(Cell a, Cell by, unsigned bits) {
    const unsigned unused = 64 - bits;
    const auto extended = static_cast<Signed>(a << unused) >> unused;
    return static_cast<Cell>(extended >> std::min<Cell>(low_bits(by, bits), bits - 1));
}

// Division by zero gives -1 (all ones), its remainder is the dividend; the quotient of the smallest number and -1 wraps.
Cell signed_divide(Cell a, Cell b, unsigned) {
    if (b == 0) return ~Cell{0};
    return b == ~Cell{0} ? Cell{0} - a : static_cast<Cell>(static_cast<Signed>(a) / static_cast<Signed>(b));
}
Cell unsigned_divide(Cell a, Cell b, unsigned) {
    return b == 0 ? ~Cell{0} : a / b;
}
Cell signed_remainder(Cell a, Cell b, unsigned) {
    if (b == 0) return a;
    return b == ~Cell{0} ? 0 : static_cast<Cell>(static_cast<Signed>(a) % static_cast<Signed>(b));
}
Cell unsigned_remainder(Cell a, Cell b, unsigned) {
    return b == 0 ? a : a % b;
}
Cell signed_maximum(Cell a, Cell b, unsigned) {
    return static_cast<Signed>(a) > static_cast<Signed>(b) ? a : b;
}
Cell signed_minimum(Cell a, Cell b, unsigned) {
    return static_cast<Signed>(a) < static_cast<Signed>(b) ? a : b;
}
Cell unsigned_maximum(Cell a, Cell b, unsigned) {
    return std::max(a, b);
}
Cell unsigned_minimum(Cell a, Cell b, unsigned) {
    return std::min(a, b);
}
Cell signed_high(Cell a, Cell b, unsigned bits) {
    return static_cast<Cell>((static_cast<__int128>(static_cast<Signed>(a)) * static_cast<Signed>(b)) >>
                             bits);
}
Cell unsigned_high(Cell a, Cell b, unsigned bits) {
    return static_cast<Cell>((static_cast<unsigned __int128>(a) * b) >> bits);
}

Cell unsigned_power(Cell base, Cell exponent, unsigned) {
    Cell result = 1;
    for (; exponent != 0; exponent >>= 1, base *= base) {
        if ((exponent & 1) != 0) result *= base;
    }
    return result;
}
// Below 1 lies nothing but the powers of 1 and -1.
Cell signed_power(Cell base, Cell exponent, unsigned bits) {
    if (static_cast<Signed>(exponent) >= 0) return unsigned_power(base, exponent, bits);
    if (base == 1) return 1;
    if (base == ~Cell{0}) return (exponent & 1) != 0 ? base : 1;
    return 0;
}

struct KernelRow {
    Opcode opcode;
    Kernel of_real, of_signed, of_unsigned, of_pred;
};

constexpr KernelRow Rows[] = {
    {Opcode::Abs, real_unary<absolute>, bits_unary<absolute>, bits_unary<same>, nullptr},
    {Opcode::Acos, real_unary<acos_of>, nullptr, nullptr, nullptr},
    {Opcode::Acosh, real_unary<acosh_of>, nullptr, nullptr, nullptr},
    {Opcode::Add, real_binary<add>, bits_binary<add>, bits_binary<add>, bits_binary<bit_or>},
    {Opcode::And, nullptr, bits_binary<bit_and>, bits_binary<bit_and>, bits_binary<bit_and>},
    {Opcode::Asin, real_unary<asin_of>, nullptr, nullptr, nullptr},
    {Opcode::Asinh, real_unary<asinh_of>, nullptr, nullptr, nullptr},
    {Opcode::Atan2, real_binary<arc_tangent>, nullptr, nullptr, nullptr},
    {Opcode::Atanh, real_unary<atanh_of>, nullptr, nullptr, nullptr},
    {Opcode::Cbrt, real_unary<cube_root>, nullptr, nullptr, nullptr},
    {Opcode::Ceil, real_unary<ceiling>, nullptr, nullptr, nullptr},
    {Opcode::Cosh, real_unary<cosh_of>, nullptr, nullptr, nullptr},
    {Opcode::Cosine, real_unary<cosine>, nullptr, nullptr, nullptr},
    {Opcode::CountLeadingZeros, nullptr, bits_unary<leading_zeros>, bits_unary<leading_zeros>, nullptr},
    {Opcode::Divide, real_binary<divide>, bits_binary<signed_divide>, bits_binary<unsigned_divide>, nullptr},
    {Opcode::Erf, real_unary<error_function>, nullptr, nullptr, nullptr},
    {Opcode::Exponential, real_unary<exponential>, nullptr, nullptr, nullptr},
    {Opcode::ExponentialMinusOne, real_unary<exponential_minus_one>, nullptr, nullptr, nullptr},
    {Opcode::Floor, real_unary<floor_of>, nullptr, nullptr, nullptr},
    {Opcode::Log, real_unary<logarithm>, nullptr, nullptr, nullptr},
    {Opcode::LogPlusOne, real_unary<log_plus_one>, nullptr, nullptr, nullptr},
    {Opcode::Logistic, real_unary<logistic>, nullptr, nullptr, nullptr},
    {Opcode::Maximum, real_binary<maximum>, bits_binary<signed_maximum>, bits_binary<unsigned_maximum>,
     bits_binary<bit_or>},
    {Opcode::Minimum, real_binary<minimum>, bits_binary<signed_minimum>, bits_binary<unsigned_minimum>,
     bits_binary<bit_and>},
    {Opcode::Mulhi, nullptr, bits_binary<signed_high>, bits_binary<unsigned_high>, nullptr},
    {Opcode::Multiply, real_binary<multiply>, bits_binary<multiply>, bits_binary<multiply>,
     bits_binary<bit_and>},
    {Opcode::Negate, real_unary<negate>, bits_unary<negate>, bits_unary<negate>, nullptr},
    {Opcode::Not, nullptr, bits_unary<bit_not>, bits_unary<bit_not>, bits_unary<logical_not>},
    {Opcode::Or, nullptr, bits_binary<bit_or>, bits_binary<bit_or>, bits_binary<bit_or>},
    {Opcode::Popcnt, nullptr, bits_unary<population>, bits_unary<population>, nullptr},
    {Opcode::Power, real_binary<power>, bits_binary<signed_power>, bits_binary<unsigned_power>, nullptr},
    {Opcode::Remainder, real_binary<remainder_of>, bits_binary<signed_remainder>,
     bits_binary<unsigned_remainder>, nullptr},
    {Opcode::RoundNearestAfz, real_unary<round_away>, nullptr, nullptr, nullptr},
    {Opcode::RoundNearestEven, real_unary<round_even>, nullptr, nullptr, nullptr},
    {Opcode::Rsqrt, real_unary<rsqrt>, nullptr, nullptr, nullptr},
    {Opcode::ShiftLeft, nullptr, bits_binary<shift_left>, bits_binary<shift_left>, nullptr},
    {Opcode::ShiftRightArithmetic, nullptr, bits_binary<shift_right_arithmetic>,
     bits_binary<shift_right_arithmetic>, nullptr},
    {Opcode::ShiftRightLogical, nullptr, bits_binary<shift_right_logical>, bits_binary<shift_right_logical>,
     nullptr},
    {Opcode::Sign, real_unary<sign>, bits_unary<signed_sign>, bits_unary<is_positive>, nullptr},
    {Opcode::Sine, real_unary<sine>, nullptr, nullptr, nullptr},
    {Opcode::Sinh, real_unary<sinh_of>, nullptr, nullptr, nullptr},
    {Opcode::Sqrt, real_unary<square_root>, nullptr, nullptr, nullptr},
    {Opcode::Subtract, real_binary<subtract>, bits_binary<subtract>, bits_binary<subtract>, nullptr},
    {Opcode::Tan, real_unary<tangent>, nullptr, nullptr, nullptr},
    {Opcode::Tanh, real_unary<tanh_of>, nullptr, nullptr, nullptr},
    {Opcode::Xor, nullptr, bits_binary<bit_xor>, bits_binary<bit_xor>, bits_binary<bit_xor>},
};

Kernel of_kind(const KernelRow& row, Kind kind) {
    switch (kind) {
        case Kind::Real:
            return row.of_real;
        case Kind::Signed:
            return row.of_signed;
        case Kind::Unsigned:
            return row.of_unsigned;
        default:
            return row.of_pred;
    }
}

void is_finite(const Cell* const* in, Cell* out, std::size_t count, unsigned) {
    for (std::size_t i = 0; i < count; ++i) out[i] = std::isfinite(real(in[0][i])) ? 1 : 0;
}

enum class Direction : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge };
enum class Domain : std::uint8_t { Real, Total, Signed, Unsigned };

template <Direction D, typename T>
bool holds(T a, T b) {
    switch (D) {
        case Direction::Eq:
            return a == b;
        case Direction::Ne:
            return a != b;
        case Direction::Lt:
            return a < b;
        case Direction::Le:
            return a <= b;
        case Direction::Gt:
            return a > b;
        default:
            return a >= b;
    }
}

template <Direction D, Domain In>
void compare(const Cell* const* in, Cell* out, std::size_t count, unsigned) {
    for (std::size_t i = 0; i < count; ++i) {
        const Cell a = in[0][i], b = in[1][i];
        bool result = false;
        switch (In) {
            case Domain::Real:
                result = holds<D>(real(a), real(b));
                break;
            case Domain::Total:
                result = holds<D>(total_order(a), total_order(b));
                break;
            case Domain::Signed:
                result = holds<D>(static_cast<Signed>(a), static_cast<Signed>(b));
                break;
            default:
                result = holds<D>(a, b);
                break;
        }
        out[i] = result ? 1 : 0;
    }
}

template <Direction D>
Kernel comparison(Domain domain) {
    switch (domain) {
        case Domain::Real:
            return compare<D, Domain::Real>;
        case Domain::Total:
            return compare<D, Domain::Total>;
        case Domain::Signed:
            return compare<D, Domain::Signed>;
        default:
            return compare<D, Domain::Unsigned>;
    }
}

Kernel comparison(const Instruction& instruction, ElementType type) {
    const Attributes& a = instruction.attributes;
    Domain domain = Domain::Unsigned;
    if (kind(type) == Kind::Real) domain = a.comparison_type == "TOTALORDER" ? Domain::Total : Domain::Real;
    if (kind(type) == Kind::Signed) domain = Domain::Signed;
    const std::string& direction = a.comparison_direction;
    if (direction == "EQ") return comparison<Direction::Eq>(domain);
    if (direction == "NE") return comparison<Direction::Ne>(domain);
    if (direction == "LT") return comparison<Direction::Lt>(domain);
    if (direction == "LE") return comparison<Direction::Le>(domain);
    if (direction == "GT") return comparison<Direction::Gt>(domain);
    return comparison<Direction::Ge>(domain);
}

// Rounds to a format of these bits as XLA's reduce-precision: what is too small for a normal number becomes zero, and NaN
// becomes infinity where no bit of a mantissa can tell it.
double reduced(double x, ElementType type, int exponent_bits, int mantissa_bits) {
    if (std::isnan(x) && mantissa_bits == 0) return std::copysign(std::numeric_limits<double>::infinity(), x);
    if (!std::isfinite(x) || x == 0) return x;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    // Below its normal numbers the type of the operand has fewer bits.
    const int smallest = type == ElementType::F64 ? -1022 : type == ElementType::F16 ? -14 : -126;
    const int exponent = std::max(std::ilogb(x), smallest);
    const double value =
        std::ldexp(std::nearbyint(std::ldexp(x, mantissa_bits - exponent)), exponent - mantissa_bits);
    const int rounded_exponent = value == 0 ? smallest - 1 : std::ilogb(value);
    if (rounded_exponent > bias) return std::copysign(std::numeric_limits<double>::infinity(), x);
    const bool narrower = 1 - bias > smallest;
    return narrower && rounded_exponent < 1 - bias ? std::copysign(0.0, x) : value;
}

Cell clamped(Cell low, Cell value, Cell high, Kind kind) {
    switch (kind) {
        case Kind::Real:
            return cell(minimum(maximum(real(value), real(low)), real(high)));
        case Kind::Signed:
            return signed_minimum(signed_maximum(value, low, 64), high, 64);
        default:
            return std::min(std::max(value, low), high);
    }
}

}  // namespace

bool is_elementwise(Opcode opcode) {
    return info(opcode).family == Family::Elementwise;
}

Kernel kernel_of(const Instruction& instruction, ElementType operands) {
    if (instruction.opcode == Opcode::Compare) return comparison(instruction, operands);
    if (instruction.opcode == Opcode::IsFinite) return is_finite;
    const auto row = std::ranges::find(Rows, instruction.opcode, &KernelRow::opcode);
    return row == std::end(Rows) ? nullptr : of_kind(*row, kind(operands));
}

void compute(const Instruction& instruction, std::span<const ElementType> types, const Cell* const* operands,
             const bool* scalar, Cell* result, std::size_t count) {
    const ElementType to = instruction.shape.type;
    const auto at = [&](std::size_t operand, std::size_t i) {
        return operands[operand][scalar[operand] ? 0 : i];
    };
    switch (instruction.opcode) {
        case Opcode::Select:
            for (std::size_t i = 0; i < count; ++i) result[i] = at(0, i) != 0 ? at(1, i) : at(2, i);
            return;
        case Opcode::Clamp:
            for (std::size_t i = 0; i < count; ++i)
                result[i] = clamped(at(0, i), at(1, i), at(2, i), kind(to));
            return;
        case Opcode::Convert:
            for (std::size_t i = 0; i < count; ++i) result[i] = converted(at(0, i), types[0], to);
            return;
        case Opcode::StochasticConvert:
            for (std::size_t i = 0; i < count; ++i)
                result[i] = stochastically_converted(at(0, i), at(1, i), types[0], to);
            return;
        case Opcode::ReducePrecision: {
            const Attributes& a = instruction.attributes;
            for (std::size_t i = 0; i < count; ++i) {
                result[i] = cell(reduced(real(at(0, i)), to, static_cast<int>(a.exponent_bits),
                                         static_cast<int>(a.mantissa_bits)));
            }
            return;
        }
        default:
            break;
    }
    kernel_of(instruction, types[0])(operands, result, count, info(types[0]).bits);
    settle(to, {result, count});
}

}  // namespace trnsim::hlo::evaluate
