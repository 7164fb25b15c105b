// Floating-point operations on elements.
#include "model/rv32/floats.hpp"
#include "model/rv32/vector.hpp"

namespace trnsim::rv32 {

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;

// Calls `element` for the active elements.
template <class E>
void for_active(State& s, const Op& op, E element) {
    const u32 length = s.vl;
    if (op.masked()) {
        for (u32 i = 0; i < length; ++i)
            if (s.active(i)) element(i);
    } else {
        for (u32 i = 0; i < length; ++i) element(i);
    }
}

// Works in the host's rounding mode, without looking at the operands: a loop that the compiler can vectorise.
template <class F, bool Scalar>
void plain(u32* d, const u32* x, const u32* y, u32 scalar, u32 length) {
    for (u32 i = 0; i < length; ++i) {
        const auto a = std::bit_cast<float>(x[i]), b = std::bit_cast<float>(Scalar ? scalar : y[i]);
        d[i] = canonical(std::bit_cast<u32>(F::template of<float>(a, b, 0.0F)));
    }
}

// vd = F(vs2, vs1 or the scalar).
template <class F, bool Scalar>
void arithmetic(State& s, const Op& op) {
    u32* const d = s.group<u32>(op.rd);
    const u32* const x = s.group<u32>(op.rs2);
    const u32* const y = s.group<u32>(op.rs1);
    const u32 scalar = s.scalar, mode = s.frm;
    if (!op.masked() && mode != NearestAway) {
        plain<F, Scalar>(d, x, y, scalar, s.vl);
        return;
    }
    for_active(s, op, [&](u32 i) { d[i] = rounded<F>(s, x[i], Scalar ? scalar : y[i], 0, mode); });
}

// vd = F(vs1, vs2, vd), or F(vs1, vd, vs2) if vd is a factor.
template <class F, bool FactorD, bool Scalar>
void fused_arithmetic(State& s, const Op& op) {
    u32* const d = s.group<u32>(op.rd);
    const u32* const x = s.group<u32>(op.rs2);
    const u32* const y = s.group<u32>(op.rs1);
    const u32 scalar = s.scalar, mode = s.frm;
    for_active(s, op, [&](u32 i) {
        const u32 a = Scalar ? scalar : y[i];
        d[i] = FactorD ? rounded<F>(s, a, d[i], x[i], mode) : rounded<F>(s, a, x[i], d[i], mode);
    });
}

template <BitOperation F, bool Scalar>
void bits(State& s, const Op& op) {
    u32* const d = s.group<u32>(op.rd);
    const u32* const x = s.group<u32>(op.rs2);
    const u32* const y = s.group<u32>(op.rs1);
    const u32 scalar = s.scalar;
    for_active(s, op, [&](u32 i) { d[i] = F(s, x[i], Scalar ? scalar : y[i]); });
}

template <Compare C, bool Scalar>
void compare(State& s, const Op& op) {
    const u32* const x = s.group<u32>(op.rs2);
    const u32* const y = s.group<u32>(op.rs1);
    const u32 scalar = s.scalar;
    MaskResult result;
    for_active(s, op, [&](u32 i) {
        result[i] = static_cast<u8>(float_compare<C>(s, x[i], Scalar ? scalar : y[i]));
    });
    result.write(s, op, op.masked());
}

template <bool IsSigned, unsigned Bits, bool Truncates>
void to_integers(State& s, const Op& op) {
    using D = Int<Bits == 32 ? 2 : 1, false>;
    D* const d = s.group<D>(op.rd);
    const u32* const x = s.group<u32>(op.rs2);
    const u32 mode = Truncates ? u32{TowardZero} : s.frm;
    for_active(s, op, [&](u32 i) { d[i] = static_cast<D>(to_integer(s, x[i], IsSigned, Bits, mode)); });
}

template <bool IsSigned, unsigned Bits>
void from_integers(State& s, const Op& op) {
    u32* const d = s.group<u32>(op.rd);
    const auto* const x = s.group<Int<Bits == 32 ? 2 : 1, IsSigned>>(op.rs2);
    for_active(s, op, [&](u32 i) { d[i] = from_integer(s, x[i], s.frm); });
}

u32 class_of(State&, u32 a, u32) {
    return float_class(a);
}
u32 reciprocal(State& s, u32 a, u32) {
    return reciprocal_estimate(s, a, s.frm);
}
u32 reciprocal_root(State& s, u32 a, u32) {
    return root_estimate(s, a);
}

// Adds in element order. A sum of free order makes a NaN start value canonical even without an active
// element.
template <bool FreeOrder>
void sum(State& s, const Op& op) {
    if (s.vl == 0) return;
    const u32* const x = s.group<u32>(op.rs2);
    u32 result = *s.group<u32>(op.rs1);
    bool any = false;
    for_active(s, op, [&](u32 i) {
        result = rounded<FloatAdd>(s, result, x[i], 0, s.frm);
        any = true;
    });
    if (FreeOrder && !any) {
        if (is_signaling(result)) s.fflags |= Invalid;
        result = canonical(result);
    }
    *s.group<u32>(op.rd) = result;
}

template <bool Maximum>
void extreme(State& s, const Op& op) {
    if (s.vl == 0) return;
    const u32* const x = s.group<u32>(op.rs2);
    u32 result = *s.group<u32>(op.rs1);
    for_active(s, op, [&](u32 i) { result = float_extreme<Maximum>(s, result, x[i]); });
    *s.group<u32>(op.rd) = result;
}

void merge(State& s, const Op& op) {
    u32* const d = s.group<u32>(op.rd);
    const u32* const x = s.group<u32>(op.rs2);
    for (u32 i = 0; i < s.vl; ++i) d[i] = s.active(i) ? s.scalar : x[i];
}
void fill(State& s, const Op& op) {
    u32* const d = s.group<u32>(op.rd);
    for (u32 i = 0; i < s.vl; ++i) d[i] = s.scalar;
}

constexpr auto El = Kind::Elements;
constexpr Kernels None = {};
constexpr Kernels of32(Kernel kernel) {
    return {nullptr, nullptr, kernel};
}
constexpr Kernels of16(Kernel kernel) {
    return {nullptr, kernel, nullptr};
}

template <class F>
constexpr VectorRow row(u8 funct6) {
    return {'F', funct6, El, Plain, of32(arithmetic<F, false>), of32(arithmetic<F, true>)};
}
template <class F>
constexpr VectorRow scalar_row(u8 funct6) {
    return {'F', funct6, El, Plain, None, of32(arithmetic<F, true>)};
}
template <class F, bool FactorD>
constexpr VectorRow fused_row(u8 funct6) {
    return {'F',
            funct6,
            El,
            Plain,
            of32(fused_arithmetic<F, FactorD, false>),
            of32(fused_arithmetic<F, FactorD, true>)};
}
template <BitOperation F>
constexpr VectorRow bits_row(u8 funct6) {
    return {'F', funct6, El, Plain, of32(bits<F, false>), of32(bits<F, true>)};
}
template <Compare C>
constexpr VectorRow compare_row(u8 funct6) {
    return {'F', funct6, El, MaskD, of32(compare<C, false>), of32(compare<C, true>)};
}
constexpr VectorRow unary(u8 funct6, int vs1, Kernels kernels, u8 shape = Plain) {
    return {'F', funct6, El, shape, kernels, None, VectorRow::None, vs1};
}
constexpr VectorRow reduction(u8 funct6, Kernel kernel) {
    return {'F', funct6, Kind::Reduce, Plain, of32(kernel), None};
}

constexpr VectorRow Rows[] = {
    row<FloatAdd>(0x00),
    reduction(0x01, sum<true>),
    row<FloatSub>(0x02),
    reduction(0x03, sum<false>),
    bits_row<float_extreme<false>>(0x04),
    reduction(0x05, extreme<false>),
    bits_row<float_extreme<true>>(0x06),
    reduction(0x07, extreme<true>),
    bits_row<float_sign>(0x08),
    bits_row<float_other_sign>(0x09),
    bits_row<float_product_sign>(0x0a),
    unary(0x12, 0, of32(to_integers<false, 32, false>)),
    unary(0x12, 1, of32(to_integers<true, 32, false>)),
    unary(0x12, 2, of32(from_integers<false, 32>)),
    unary(0x12, 3, of32(from_integers<true, 32>)),
    unary(0x12, 6, of32(to_integers<false, 32, true>)),
    unary(0x12, 7, of32(to_integers<true, 32, true>)),
    unary(0x12, 10, of16(from_integers<false, 16>), WideD),
    unary(0x12, 11, of16(from_integers<true, 16>), WideD),
    unary(0x12, 16, of16(to_integers<false, 16, false>), WideX),
    unary(0x12, 17, of16(to_integers<true, 16, false>), WideX),
    unary(0x12, 22, of16(to_integers<false, 16, true>), WideX),
    unary(0x12, 23, of16(to_integers<true, 16, true>), WideX),
    unary(0x13, 0, of32(arithmetic<FloatRoot, true>)),
    unary(0x13, 4, of32(bits<reciprocal_root, true>)),
    unary(0x13, 5, of32(bits<reciprocal, true>)),
    unary(0x13, 16, of32(bits<class_of, true>)),
    {'F', 0x17, El, Masked, None, of32(merge)},
    {'F', 0x17, El, Unmasked, None, of32(fill), VectorRow::None, -1, 0},
    compare_row<Compare::Equal>(0x18),
    compare_row<Compare::LessEqual>(0x19),
    compare_row<Compare::Less>(0x1b),
    compare_row<Compare::NotEqual>(0x1c),
    {'F', 0x1d, El, MaskD, None, of32(compare<Compare::Greater, true>)},
    {'F', 0x1f, El, MaskD, None, of32(compare<Compare::GreaterEqual, true>)},
    row<FloatDiv>(0x20),
    scalar_row<FloatReverseDiv>(0x21),
    row<FloatMul>(0x24),
    scalar_row<FloatReverseSub>(0x27),
    fused_row<FloatMadd, true>(0x28),
    fused_row<FloatNmadd, true>(0x29),
    fused_row<FloatMsub, true>(0x2a),
    fused_row<FloatNmsub, true>(0x2b),
    fused_row<FloatMadd, false>(0x2c),
    fused_row<FloatNmadd, false>(0x2d),
    fused_row<FloatMsub, false>(0x2e),
    fused_row<FloatNmsub, false>(0x2f),
};

}  // namespace

std::span<const VectorRow> vector_float_rows() {
    return Rows;
}

}  // namespace trnsim::rv32
