// Operations between elements of SEW and of twice SEW, or of fractions of SEW.
#include "model/rv32/vector.hpp"

namespace trnsim::rv32 {

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;

// Operands are extended to the type of the result, signed or unsigned by their own types; arithmetic is
// modulo its size.
struct Add : Stateless {
    using Stateless::Stateless;
    template <class D, class X, class Y>
    D operator()(X x, Y y, D) const {
        return static_cast<D>(static_cast<u32>(x) + static_cast<u32>(y));
    }
};
struct Sub : Stateless {
    using Stateless::Stateless;
    template <class D, class X, class Y>
    D operator()(X x, Y y, D) const {
        return static_cast<D>(static_cast<u32>(x) - static_cast<u32>(y));
    }
};
struct Mul : Stateless {
    using Stateless::Stateless;
    template <class D, class X, class Y>
    D operator()(X x, Y y, D) const {
        return static_cast<D>(static_cast<u32>(x) * static_cast<u32>(y));
    }
};
struct Macc : Stateless {
    using Stateless::Stateless;
    template <class D, class X, class Y>
    D operator()(X x, Y y, D d) const {
        return static_cast<D>(static_cast<u32>(x) * static_cast<u32>(y) + d);
    }
};
struct Shift : Stateless {
    using Stateless::Stateless;
    template <class D, class X, class Y>
    D operator()(X x, Y y, D) const {
        return static_cast<D>(x >> (y & (8 * sizeof(X) - 1)));
    }
};
struct Extend : Stateless {
    using Stateless::Stateless;
    template <class D, class X, class Y>
    D operator()(X x, Y, D) const {
        return static_cast<D>(x);
    }
};

// vd has elements of twice SEW; with `SumX` vs2 too.
template <class F, bool SignedX, bool SignedY, bool SumX, bool Scalar>
constexpr Kernels Widening = {elements<Int<1, false>, Int<SumX ? 1 : 0, SignedX>, Int<0, SignedY>, F, Scalar>,
                              elements<Int<2, false>, Int<SumX ? 2 : 1, SignedX>, Int<1, SignedY>, F, Scalar>,
                              nullptr};

template <class F, bool SignedX, bool SignedY, bool SumX = false>
constexpr VectorRow row(u8 funct6) {
    return {'M',
            funct6,
            Kind::Elements,
            static_cast<u8>(SumX ? WideD | WideX : WideD),
            Widening<F, SignedX, SignedY, SumX, false>,
            Widening<F, SignedX, SignedY, SumX, true>};
}

template <bool Signed, bool Scalar>
constexpr Kernels Narrowing = {elements<u8, Int<1, Signed>, u8, Shift, Scalar>,
                               elements<std::uint16_t, Int<2, Signed>, std::uint16_t, Shift, Scalar>,
                               nullptr};
template <bool Signed>
constexpr VectorRow narrowing_row(u8 funct6) {
    return {'I',
            funct6,
            Kind::Elements,
            WideX,
            Narrowing<Signed, false>,
            Narrowing<Signed, true>,
            VectorRow::Unsigned};
}

template <bool Signed>
constexpr Kernels OfHalf = {nullptr, elements<std::uint16_t, Int<0, Signed>, u8, Extend, true>,
                            elements<u32, Int<1, Signed>, u8, Extend, true>};
template <bool Signed>
constexpr Kernels OfQuarter = {nullptr, nullptr, elements<u32, Int<0, Signed>, u8, Extend, true>};

template <class D, class X>
void reduce(State& s, const Op& op) {
    if (s.vl == 0) return;
    const X* const x = s.group<X>(op.rs2);
    u32 sum = *s.group<D>(op.rs1);
    for (u32 i = 0; i < s.vl; ++i)
        if (!op.masked() || s.active(i)) sum += static_cast<u32>(x[i]);
    *s.group<D>(op.rd) = static_cast<D>(sum);
}
template <bool Signed>
constexpr Kernels Reduces = {reduce<std::uint16_t, Int<0, Signed>>, reduce<u32, Int<1, Signed>>, nullptr};

constexpr VectorRow Rows[] = {
    narrowing_row<false>(0x2c),
    narrowing_row<true>(0x2d),
    {'I', 0x30, Kind::Reduce, WideD, Reduces<false>, {}},
    {'I', 0x31, Kind::Reduce, WideD, Reduces<true>, {}},
    {'M', 0x12, Kind::Elements, Quarter, OfQuarter<false>, {}, VectorRow::None, 4},
    {'M', 0x12, Kind::Elements, Quarter, OfQuarter<true>, {}, VectorRow::None, 5},
    {'M', 0x12, Kind::Elements, Half, OfHalf<false>, {}, VectorRow::None, 6},
    {'M', 0x12, Kind::Elements, Half, OfHalf<true>, {}, VectorRow::None, 7},
    row<Add, false, false>(0x30),
    row<Add, true, true>(0x31),
    row<Sub, false, false>(0x32),
    row<Sub, true, true>(0x33),
    row<Add, false, false, true>(0x34),
    row<Add, true, true, true>(0x35),
    row<Sub, false, false, true>(0x36),
    row<Sub, true, true, true>(0x37),
    row<Mul, false, false>(0x38),
    row<Mul, true, false>(0x3a),
    row<Mul, true, true>(0x3b),
    row<Macc, false, false>(0x3c),
    row<Macc, true, true>(0x3d),
    {'M', 0x3e, Kind::Elements, WideD, {}, Widening<Macc, true, false, false, true>},
    row<Macc, false, true>(0x3f),
};

}  // namespace

std::span<const VectorRow> vector_wide_rows() {
    return Rows;
}

}  // namespace trnsim::rv32
