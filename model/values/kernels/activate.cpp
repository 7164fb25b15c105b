// Activation functions: docs/activation-functions.md, a vector of elements at a time.
#include <stdexcept>

#include "arch/activation/tables.hpp"
#include "model/values/kernels/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/values/kernels/activate.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "model/values/kernels/operations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace trnsim::fast::kernels::HWY_NAMESPACE {

using activation::Mode;

HWY_ATTR inline VI integers(std::int32_t value) {
    return hn::Set(I(), value);
}
HWY_ATTR inline VI field_of(VI bits) {
    return hn::And(hn::ShiftRight<23>(bits), integers(0xff));
}

constexpr std::int32_t FractionMask = 0x7fffff, InfinityBits = 0x7f800000, Bias = 127;
constexpr std::int32_t SignBit = -0x7fffffff - 1;

// The operand with its exponent reduced, and the part that was taken out.
struct Reduced {
    VI bits;
    VI scale;     // power of two of the result
    VI exponent;  // biased exponent of a logarithm's operand, Bias otherwise
};

template <Mode mode>
HWY_ATTR Reduced reduce_exponent(VI bits) {
    const VI zero = hn::Zero(I());
    if constexpr (mode == Mode::Direct) {
        return {bits, zero, integers(Bias)};
    } else {
        const VI field = field_of(bits), fraction = hn::And(bits, integers(FractionMask));
        auto special = hn::Or(hn::Eq(field, zero), hn::Eq(field, integers(255)));
        if constexpr (mode != Mode::Reciprocal) special = hn::Or(special, hn::Lt(bits, zero));
        const VI exponent = hn::Sub(field, integers(Bias));
        VI reduced = fraction, scale = zero, taken = integers(Bias);
        if constexpr (mode == Mode::Log) {
            const VI up = hn::ShiftRight<22>(fraction);  // from 1.5 on
            reduced = hn::Or(fraction, hn::ShiftLeft<23>(hn::Sub(integers(Bias), up)));
            taken = hn::Add(field, up);
        } else if constexpr (mode == Mode::Reciprocal) {
            reduced = hn::Or(hn::And(bits, integers(SignBit | FractionMask)), integers(Bias << 23));
            scale = hn::Neg(exponent);
        } else {
            const VI odd = hn::And(exponent, integers(1));
            reduced = hn::Or(fraction, hn::ShiftLeft<23>(hn::Add(integers(Bias), odd)));
            const VI half = hn::ShiftRight<1>(exponent);
            scale = mode == Mode::Sqrt ? half : hn::Neg(half);
        }
        return {hn::IfThenElse(special, bits, reduced), hn::IfThenElse(special, zero, scale),
                hn::IfThenElse(special, integers(Bias), taken)};
    }
}

// Returns value * 2^scale, exact except for overflow and the flush.
HWY_ATTR inline VF scaled(VF value, VI scale) {
    const VI bits = hn::BitCast(I(), value), zero = hn::Zero(I());
    const VI field = field_of(bits), moved = hn::Add(field, scale), sign = hn::And(bits, integers(SignBit));
    VI result = hn::Add(bits, hn::ShiftLeft<23>(scale));
    result = hn::IfThenElse(hn::Gt(moved, integers(254)), hn::Or(sign, integers(InfinityBits)), result);
    result = hn::IfThenElse(hn::Gt(moved, zero), result, sign);
    const auto fixed = hn::Or(hn::Eq(field, zero), hn::Eq(field, integers(255)));
    return hn::BitCast(F(), hn::IfThenElse(fixed, bits, result));
}

template <Mode mode>
HWY_ATTR void evaluate(int degree, const Tables& tables, const float* from, float* to, std::size_t count) {
    const auto* rows = reinterpret_cast<const float*>(tables.rows);
    const auto* segments = reinterpret_cast<const std::int32_t*>(tables.segments);
    const auto* exponents = reinterpret_cast<const float*>(tables.exponents);
    for (std::size_t i = 0; i < count; i += hn::Lanes(F())) {
        const VF z = hn::Load(F(), from + i);
        const VI bits = hn::BitCast(I(), z);
        const Reduced reduced = reduce_exponent<mode>(bits);
        const VI top = hn::BitCast(I(), hn::ShiftRight<23>(hn::BitCast(U(), reduced.bits)));
        const VI segment = hn::GatherIndex(I(), segments, top);
        const VI shift = hn::And(hn::ShiftRight<16>(segment), integers(31));
        const VI within = hn::Shr(hn::And(reduced.bits, integers(FractionMask)), shift);
        const VI row = hn::And(hn::Add(hn::And(segment, integers(0xffff)), within),
                               integers(static_cast<std::int32_t>(Tables::Rows - 1)));
        const VI place = hn::ShiftLeft<3>(row);
        const auto infinite =
            hn::RebindMask(F(), hn::Eq(hn::And(bits, integers(0x7fffffff)), integers(InfinityBits)));
        const VF zero = hn::BitCast(F(), hn::And(bits, integers(SignBit)));
        const VF t = hn::IfThenElse(
            infinite, zero, hn::Sub(hn::BitCast(F(), reduced.bits), hn::GatherIndex(F(), rows, place)));
        VF value = hn::GatherIndex(F(), rows + 1 + degree, place);
        for (int k = degree - 1; k >= 0; --k)
            value = hn::MulAdd(value, t, hn::GatherIndex(F(), rows + 1 + k, place));
        if constexpr (mode == Mode::Log) {
            value = hn::Add(value, hn::GatherIndex(F(), exponents, reduced.exponent));
            value = hn::Add(value, hn::GatherIndex(F(), exponents + 256, reduced.exponent));
        }
        const VI scale =
            hn::Sub(hn::BitCast(I(), hn::ShiftRight<24>(hn::BitCast(U(), segment))), integers(128));
        hn::Store(canonical(scaled(value, hn::Add(scale, reduced.scale))), F(), to + i);
    }
}

HWY_ATTR void evaluate_on_target(Mode mode, int degree, const Tables& tables, const float* z, float* y,
                                 std::size_t count) {
    switch (mode) {
        case Mode::Direct:
            return evaluate<Mode::Direct>(degree, tables, z, y, count);
        case Mode::Log:
            return evaluate<Mode::Log>(degree, tables, z, y, count);
        case Mode::Reciprocal:
            return evaluate<Mode::Reciprocal>(degree, tables, z, y, count);
        case Mode::Sqrt:
            return evaluate<Mode::Sqrt>(degree, tables, z, y, count);
        case Mode::Rsqrt:
            return evaluate<Mode::Rsqrt>(degree, tables, z, y, count);
    }
}

template <typename Operation>
HWY_ATTR void each(Operation operation, const float* x, float* y, std::size_t count) {
    for (std::size_t i = 0; i < count; i += hn::Lanes(F()))
        hn::Store(canonical(operation(hn::Load(F(), x + i))), F(), y + i);
}

HWY_ATTR bool direct_on_target(isa::Activation function, float alpha, const float* x, float* y,
                               std::size_t count) {
    using isa::Activation;
    switch (function) {
        case Activation::Copy:
            return each([](VF z) HWY_ATTR { return z; }, x, y, count), true;
        case Activation::Square:
            return each([](VF z) HWY_ATTR { return hn::Mul(z, z); }, x, y, count), true;
        case Activation::Relu:
            return each([](VF z) HWY_ATTR { return maximum(z, hn::Zero(F())); }, x, y, count), true;
        case Activation::Abs:
            return each([](VF z) HWY_ATTR { return hn::Abs(z); }, x, y, count), true;
        case Activation::Sign:
            return each(
                       [](VF z) HWY_ATTR {
                           const VF one = hn::CopySign(hn::Set(F(), 1.0F), z);
                           const auto kept = hn::Or(hn::Eq(z, hn::Zero(F())), hn::IsNaN(z));
                           return hn::IfThenElse(kept, z, one);
                       },
                       x, y, count),
                   true;
        case Activation::Prelu:
            return each(
                       [alpha](VF z) HWY_ATTR {
                           const VF below = hn::Mul(hn::Set(F(), alpha), z);
                           return hn::IfThenElse(hn::Ge(z, hn::Zero(F())), z, below);
                       },
                       x, y, count),
                   true;
        default:
            return false;
    }
}

}  // namespace trnsim::fast::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trnsim::fast::kernels {

HWY_EXPORT(evaluate_on_target);
HWY_EXPORT(direct_on_target);

void activate(isa::Activation function, const Tables& tables, const float* z, float* y, std::size_t count) {
    const activation::Function& form = activation::function(static_cast<unsigned>(function));
    HWY_DYNAMIC_DISPATCH(evaluate_on_target)(form.mode, form.degree, tables, z, y, count);
}

void activate(isa::Activation function, float alpha, const float* z, float* y, std::size_t count) {
    if (!HWY_DYNAMIC_DISPATCH(direct_on_target)(function, alpha, z, y, count))
        throw std::invalid_argument("not an activation function without a table");
}

}  // namespace trnsim::fast::kernels
#endif
