#include "compiler/hlo/evaluate/convert.hpp"

#include <bit>
#include <cmath>

#include "compiler/hlo/real.hpp"

namespace trnsim::hlo::evaluate {
namespace {

// An integer as a double that rounds to every narrower type as the integer does: a double has room for its 53 leading
// bits, the last of which is set where bits after it are.
double sticky(Cell magnitude) {
    const int leading = 64 - std::countl_zero(magnitude);
    if (leading <= 53) return static_cast<double>(magnitude);
    const int dropped = leading - 53;
    const Cell rest = magnitude & ((Cell{1} << dropped) - 1);
    const Cell kept = magnitude >> dropped;
    return std::ldexp(static_cast<double>(kept | (rest != 0 ? 1 : 0)), dropped);
}

double real_of(Cell value, ElementType from, ElementType to) {
    const bool negative = kind(from) == Kind::Signed && static_cast<std::int64_t>(value) < 0;
    const Cell magnitude = negative ? Cell{0} - value : value;
    const double result = to == ElementType::F64 ? static_cast<double>(magnitude) : sticky(magnitude);
    return negative ? -result : result;
}

Cell integer_of(double value, ElementType to) {
    const TypeInfo& type = info(to);
    if (std::isnan(value)) return 0;
    const double whole = std::trunc(value);
    if (type.kind == Kind::Signed) {
        const double limit = std::ldexp(1.0, type.bits - 1);
        if (whole >= limit) return (Cell{1} << (type.bits - 1)) - 1;
        if (whole < -limit) return Cell{0} - (Cell{1} << (type.bits - 1));
        return static_cast<Cell>(static_cast<std::int64_t>(whole));
    }
    if (whole <= 0) return 0;
    if (whole >= std::ldexp(1.0, type.bits)) return type.bits == 64 ? ~Cell{0} : (Cell{1} << type.bits) - 1;
    return static_cast<Cell>(whole);
}

}  // namespace

Cell converted(Cell value, ElementType from, ElementType to) {
    const bool is_from_real = is_real(from);
    Cell result = value;
    if (kind(to) == Kind::Pred) return (is_from_real ? real(value) != 0 : value != 0) ? 1 : 0;
    if (is_real(to)) return cell(rounded(to, is_from_real ? real(value) : real_of(value, from, to)));
    if (is_from_real) return integer_of(real(value), to);
    settle(to, {&result, 1});
    return result;
}

Cell stochastically_converted(Cell value, Cell random, ElementType from, ElementType to) {
    const double x = real(value),
                 fraction = std::ldexp(static_cast<double>(random), -static_cast<int>(info(from).bits));
    if (!std::isfinite(x)) return converted(value, from, to);
    if (!is_real(to)) {
        const double whole = std::trunc(x);
        return integer_of(std::fabs(x - whole) > fraction ? whole + std::copysign(1.0, x) : whole, to);
    }
    const RealFormat& format = real_format(to);
    const int exponent = x == 0 ? 1 - format.bias : std::max(std::ilogb(x), 1 - format.bias);
    const double units = std::ldexp(x, format.mantissa_bits - exponent), whole = std::trunc(units);
    const double chosen = std::fabs(units - whole) > fraction ? whole + std::copysign(1.0, x) : whole;
    return cell(rounded(to, std::ldexp(chosen, exponent - format.mantissa_bits)));
}

}  // namespace trnsim::hlo::evaluate
