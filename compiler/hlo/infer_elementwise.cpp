// Shape rules of instructions that compute each element from the elements at its place.
#include <algorithm>
#include <iterator>
#include <span>

#include "compiler/hlo/site.hpp"

namespace trnsim::hlo {
namespace {

// The types of operands that an opcode takes.
enum class Accepts : std::uint8_t { Any, Numbers, Integers, Bits, Real };

struct ElementwiseRow {
    Opcode opcode;
    Accepts accepts;
};

constexpr ElementwiseRow UnaryRows[] = {
    {Opcode::Abs, Accepts::Numbers},
    {Opcode::Acos, Accepts::Real},
    {Opcode::Acosh, Accepts::Real},
    {Opcode::Asin, Accepts::Real},
    {Opcode::Asinh, Accepts::Real},
    {Opcode::Atanh, Accepts::Real},
    {Opcode::Cbrt, Accepts::Real},
    {Opcode::Ceil, Accepts::Real},
    {Opcode::Cosh, Accepts::Real},
    {Opcode::Cosine, Accepts::Real},
    {Opcode::CountLeadingZeros, Accepts::Integers},
    {Opcode::Erf, Accepts::Real},
    {Opcode::Exponential, Accepts::Real},
    {Opcode::ExponentialMinusOne, Accepts::Real},
    {Opcode::Floor, Accepts::Real},
    {Opcode::Log, Accepts::Real},
    {Opcode::LogPlusOne, Accepts::Real},
    {Opcode::Logistic, Accepts::Real},
    {Opcode::Negate, Accepts::Numbers},
    {Opcode::Not, Accepts::Bits},
    {Opcode::Popcnt, Accepts::Integers},
    {Opcode::ReducePrecision, Accepts::Real},
    {Opcode::RoundNearestAfz, Accepts::Real},
    {Opcode::RoundNearestEven, Accepts::Real},
    {Opcode::Rsqrt, Accepts::Real},
    {Opcode::Sign, Accepts::Numbers},
    {Opcode::Sine, Accepts::Real},
    {Opcode::Sinh, Accepts::Real},
    {Opcode::Sqrt, Accepts::Real},
    {Opcode::Tan, Accepts::Real},
    {Opcode::Tanh, Accepts::Real},
};

constexpr ElementwiseRow BinaryRows[] = {
    {Opcode::Add, Accepts::Any},
    {Opcode::And, Accepts::Bits},
    {Opcode::Atan2, Accepts::Real},
    {Opcode::Divide, Accepts::Numbers},
    {Opcode::Maximum, Accepts::Any},
    {Opcode::Minimum, Accepts::Any},
    {Opcode::Mulhi, Accepts::Integers},
    {Opcode::Multiply, Accepts::Any},
    {Opcode::Or, Accepts::Bits},
    {Opcode::Power, Accepts::Numbers},
    {Opcode::Remainder, Accepts::Numbers},
    {Opcode::ShiftLeft, Accepts::Integers},
    {Opcode::ShiftRightArithmetic, Accepts::Integers},
    {Opcode::ShiftRightLogical, Accepts::Integers},
    {Opcode::Subtract, Accepts::Numbers},
    {Opcode::Xor, Accepts::Bits},
};

const ElementwiseRow* row_of(std::span<const ElementwiseRow> rows, Opcode opcode) {
    for (const ElementwiseRow& row : rows) {
        if (row.opcode == opcode) return &row;
    }
    return nullptr;
}

bool accepts(Accepts accepts, ElementType type) {
    switch (accepts) {
        case Accepts::Any:
            return is_array(type);
        case Accepts::Numbers:
            return is_integer(type) || is_real(type);
        case Accepts::Integers:
            return is_integer(type);
        case Accepts::Bits:
            return is_integer(type) || type == ElementType::Pred;
        default:
            return is_real(type);
    }
}

std::string_view describe(Accepts accepts) {
    constexpr std::string_view Words[] = {"any type", "integers or real numbers", "integers",
                                          "integers or pred", "real numbers"};
    return Words[static_cast<std::size_t>(accepts)];
}

void check_type(const ElementwiseRow& row, const Shape& operand) {
    Site::check(accepts(row.accepts, operand.type), fmt::format("{} of {}, expected {}", name(row.opcode),
                                                                name(operand.type), describe(row.accepts)));
}

void check_same_dimensions(const Shape& a, const Shape& b, std::string_view what) {
    Site::check(has_same_dimensions(a, b),
                fmt::format("{} {} and {} have different sizes", what, format(a), format(b)));
}

Shape unary(const Site& site) {
    check_type(*row_of(UnaryRows, site.instruction.opcode), site.array(0));
    return site.operand(0);
}

Shape binary(const Site& site) {
    const Shape &a = site.array(0), &b = site.array(1);
    check_type(*row_of(BinaryRows, site.instruction.opcode), a);
    Site::check(is_compatible(a, b), fmt::format("operands {} and {} differ", format(a), format(b)));
    return a;
}

Shape predicate(const Shape& like) {
    return array(ElementType::Pred, like.dimensions);
}

Shape is_finite(const Site& site) {
    Site::check(is_real(site.array(0).type),
                fmt::format("is-finite of {}, expected real numbers", name(site.operand(0).type)));
    return predicate(site.operand(0));
}

Shape compare(const Site& site) {
    const Shape &a = site.array(0), &b = site.array(1);
    Site::check(is_compatible(a, b), fmt::format("operands {} and {} differ", format(a), format(b)));
    constexpr std::string_view Directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
    const std::string& direction = site.attributes().comparison_direction;
    Site::check(std::ranges::find(Directions, direction) != std::end(Directions),
                fmt::format("there is no direction '{}'", direction));
    return predicate(a);
}

// Any array becomes one of the type and the sizes that the instruction says.
Shape convert(const Site& site) {
    check_same_dimensions(site.array(0), site.shape(), "operand and result");
    return site.shape();
}

Shape stochastic_convert(const Site& site) {
    const Shape &value = site.array(0), &random = site.array(1);
    check_same_dimensions(value, random, "operands");
    check_same_dimensions(value, site.shape(), "operand and result");
    Site::check(is_real(value.type) && kind(random.type) == Kind::Unsigned &&
                    info(value.type).bits == info(random.type).bits,
                fmt::format("operands {} and {}, expected real numbers and unsigned ones of as many bits",
                            format(value), format(random)));
    return site.shape();
}

Shape select(const Site& site) {
    const Shape &condition = site.array(0), &a = site.array(1), &b = site.array(2);
    Site::check(is_compatible(a, b), fmt::format("operands {} and {} differ", format(a), format(b)));
    Site::check(
        condition.type == ElementType::Pred && (condition.is_scalar() || has_same_dimensions(condition, a)),
        fmt::format("the condition is {}, expected {}", format(condition), format(predicate(a))));
    return a;
}

Shape clamp(const Site& site) {
    const Shape& value = site.array(1);
    for (const std::size_t bound : {std::size_t{0}, std::size_t{2}}) {
        const Shape& shape = site.array(bound);
        Site::check(shape.type == value.type && (shape.is_scalar() || has_same_dimensions(shape, value)),
                    fmt::format("the bound {} does not fit {}", format(shape), format(value)));
    }
    Site::check(is_integer(value.type) || is_real(value.type),
                fmt::format("clamp of {}, expected integers or real numbers", name(value.type)));
    return value;
}

Shape reduce_precision(const Site& site) {
    const Attributes& a = site.attributes();
    Site::check(
        a.exponent_bits >= 1 && a.exponent_bits <= 11 && a.mantissa_bits >= 0 && a.mantissa_bits <= 52,
        fmt::format("there is no format of {} exponent and {} mantissa bits", a.exponent_bits,
                    a.mantissa_bits));
    return unary(site);
}

}  // namespace

Rule elementwise_rule(Opcode opcode) {
    switch (opcode) {
        case Opcode::IsFinite:
            return is_finite;
        case Opcode::Compare:
            return compare;
        case Opcode::Convert:
            return convert;
        case Opcode::StochasticConvert:
            return stochastic_convert;
        case Opcode::Select:
            return select;
        case Opcode::Clamp:
            return clamp;
        case Opcode::ReducePrecision:
            return reduce_precision;
        default:
            break;
    }
    if (row_of(UnaryRows, opcode) != nullptr) return unary;
    return row_of(BinaryRows, opcode) != nullptr ? binary : nullptr;
}

}  // namespace trnsim::hlo
