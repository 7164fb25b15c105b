// Integer operations on elements of SEW: sums, logic, shifts, comparisons, products, quotients, reductions.
#include <algorithm>
#include <limits>

#include "model/rv32/vector.hpp"

namespace trnsim::rv32 {

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

// A stateless operation on elements of one type. Sums and products of unsigned elements are computed in 32
// bits.
template <class F>
struct Simple : Stateless {
    using Stateless::Stateless;
    template <class T>
    T operator()(T x, T y, T d) const {
        return F::of(x, y, d);
    }
};

template <class T>
T low(u32 value) {
    return static_cast<T>(value);
}
template <class T>
constexpr u32 AmountMask = 8 * sizeof(T) - 1;

// An operation: its name, and its result of vs2's element x, the other operand y and vd's element d, all of
// type T.
#define OPERATION(name, result)            \
    struct name {                          \
        template <class T>                 \
        static T of(T x, T y, T d) {       \
            (void)x, (void)y, (void)d;     \
            return static_cast<T>(result); \
        }                                  \
    }

OPERATION(Add, u32{x} + u32{y});
OPERATION(Sub, u32{x} - u32{y});
OPERATION(ReverseSub, u32{y} - u32{x});
OPERATION(Min, std::min(x, y));
OPERATION(Max, std::max(x, y));
OPERATION(And, T(x& y));
OPERATION(Or, x | y);
OPERATION(Xor, x ^ y);
OPERATION(Move, y);
OPERATION(ShiftLeft, u32{x} << (y & AmountMask<T>));
OPERATION(ShiftRight, x >> (y & AmountMask<T>));
OPERATION(Mul, u32{x} * u32{y});
OPERATION(Madd, u32{y} * u32{d} + u32{x});
OPERATION(Nmsub, u32{x} - u32{y} * u32{d});
OPERATION(Macc, u32{y} * u32{x} + u32{d});
OPERATION(Nmsac, u32{d} - u32{y} * u32{x});
OPERATION(Divide, y == 0 ? i64{-1} : i64{x} / i64{y});
OPERATION(Remainder, y == 0 ? i64{x} : i64{x} % i64{y});
OPERATION(MulHigh, (i64{x} * i64{y}) >> (8 * sizeof(T)));
OPERATION(MulHighUnsigned, (u64{x} * u64{y}) >> (8 * sizeof(T)));
#undef OPERATION

struct MulHighMixed : Stateless {
    using Stateless::Stateless;
    template <class D, class Y>
    D operator()(D x, Y y, D) const {
        return static_cast<D>((i64{x} * i64{y}) >> (8 * sizeof(D)));
    }
};

template <class F, bool Signed, bool Scalar>
constexpr Kernels Same = {elements<Int<0, Signed>, Int<0, Signed>, Int<0, Signed>, Simple<F>, Scalar>,
                          elements<Int<1, Signed>, Int<1, Signed>, Int<1, Signed>, Simple<F>, Scalar>,
                          elements<Int<2, Signed>, Int<2, Signed>, Int<2, Signed>, Simple<F>, Scalar>};

template <bool Scalar>
constexpr Kernels Mixed = {elements<std::int8_t, std::int8_t, std::uint8_t, MulHighMixed, Scalar>,
                           elements<std::int16_t, std::int16_t, std::uint16_t, MulHighMixed, Scalar>,
                           elements<std::int32_t, std::int32_t, std::uint32_t, MulHighMixed, Scalar>};

// Comparisons; their results are bits.
template <class T, class F, bool Scalar>
void compare(State& s, const Op& op) {
    const T* const x = s.group<T>(op.rs2);
    const T* const y = s.group<T>(op.rs1);
    const T scalar = static_cast<T>(s.scalar);
    MaskResult result;
    for (u32 i = 0; i < s.vl; ++i) result[i] = F::of(x[i], Scalar ? scalar : y[i]);
    result.write(s, op, op.masked());
}

struct Equal {
    template <class T>
    static bool of(T x, T y) {
        return x == y;
    }
};
struct NotEqual {
    template <class T>
    static bool of(T x, T y) {
        return x != y;
    }
};
struct Less {
    template <class T>
    static bool of(T x, T y) {
        return x < y;
    }
};
struct LessEqual {
    template <class T>
    static bool of(T x, T y) {
        return x <= y;
    }
};
struct Greater {
    template <class T>
    static bool of(T x, T y) {
        return x > y;
    }
};

template <class F, bool Signed, bool Scalar>
constexpr Kernels Compares = {compare<Int<0, Signed>, F, Scalar>, compare<Int<1, Signed>, F, Scalar>,
                              compare<Int<2, Signed>, F, Scalar>};

// Operations with carries in v0: sums, and their carries out; without a mask the carry in is 0.
template <class T, bool Subtracts>
u64 sum(T x, T y, bool carry) {
    return Subtracts ? u64{x} - y - carry : u64{x} + y + carry;
}
template <class T, bool Subtracts, bool Scalar>
void with_carry(State& s, const Op& op) {
    T* const d = s.group<T>(op.rd);
    const T* const x = s.group<T>(op.rs2);
    const T* const y = s.group<T>(op.rs1);
    for (u32 i = 0; i < s.vl; ++i)
        d[i] = static_cast<T>(sum<T, Subtracts>(x[i], Scalar ? static_cast<T>(s.scalar) : y[i], s.active(i)));
}
template <class T, bool Subtracts, bool Scalar>
void carry_out(State& s, const Op& op) {
    const T* const x = s.group<T>(op.rs2);
    const T* const y = s.group<T>(op.rs1);
    MaskResult result;
    for (u32 i = 0; i < s.vl; ++i) {
        const u64 all =
            sum<T, Subtracts>(x[i], Scalar ? static_cast<T>(s.scalar) : y[i], op.masked() && s.active(i));
        result[i] = all >> (8 * sizeof(T)) & 1;
    }
    result.write(s, op, false);
}
template <bool Subtracts, bool Scalar>
constexpr Kernels Carries = {with_carry<u8, Subtracts, Scalar>, with_carry<std::uint16_t, Subtracts, Scalar>,
                             with_carry<u32, Subtracts, Scalar>};
template <bool Subtracts, bool Scalar>
constexpr Kernels CarriesOut = {carry_out<u8, Subtracts, Scalar>, carry_out<std::uint16_t, Subtracts, Scalar>,
                                carry_out<u32, Subtracts, Scalar>};

template <class T, bool Scalar>
void merge(State& s, const Op& op) {
    T* const d = s.group<T>(op.rd);
    const T* const x = s.group<T>(op.rs2);
    const T* const y = s.group<T>(op.rs1);
    for (u32 i = 0; i < s.vl; ++i) d[i] = !s.active(i) ? x[i] : Scalar ? static_cast<T>(s.scalar) : y[i];
}
template <bool Scalar>
constexpr Kernels Merges = {merge<u8, Scalar>, merge<std::uint16_t, Scalar>, merge<u32, Scalar>};

template <class T, class F>
void reduce(State& s, const Op& op) {
    if (s.vl == 0) return;
    const T* const x = s.group<T>(op.rs2);
    T result = *s.group<T>(op.rs1);
    for (u32 i = 0; i < s.vl; ++i)
        if (!op.masked() || s.active(i)) result = F::of(result, x[i], T{});
    *s.group<T>(op.rd) = result;
}
template <class F, bool Signed>
constexpr Kernels Reduces = {reduce<Int<0, Signed>, F>, reduce<Int<1, Signed>, F>, reduce<Int<2, Signed>, F>};

constexpr auto Imm = VectorRow::Signed;
constexpr auto Bits = VectorRow::Unsigned;
constexpr auto El = Kind::Elements;

template <class F, bool Signed>
constexpr VectorRow row(char category, u8 funct6, VectorRow::Immediate immediate = VectorRow::None) {
    return {category, funct6, El, Plain, Same<F, Signed, false>, Same<F, Signed, true>, immediate};
}
template <class F, bool Signed>
constexpr VectorRow compare_row(u8 funct6, VectorRow::Immediate immediate = VectorRow::None) {
    return {'I', funct6, El, MaskD, Compares<F, Signed, false>, Compares<F, Signed, true>, immediate};
}
template <class F, bool Signed>
constexpr VectorRow reduce_row(u8 funct6) {
    return {'M', funct6, Kind::Reduce, Plain, Reduces<F, Signed>, {}};
}

constexpr VectorRow Rows[] = {
    row<Add, false>('I', 0x00, Imm),
    row<Sub, false>('I', 0x02),
    {'I', 0x03, El, Plain, {}, Same<ReverseSub, false, true>, Imm},
    row<Min, false>('I', 0x04),
    row<Min, true>('I', 0x05),
    row<Max, false>('I', 0x06),
    row<Max, true>('I', 0x07),
    row<And, false>('I', 0x09, Imm),
    row<Or, false>('I', 0x0a, Imm),
    row<Xor, false>('I', 0x0b, Imm),
    {'I', 0x10, El, Masked, Carries<false, false>, Carries<false, true>, Imm},
    {'I', 0x11, El, MaskD, CarriesOut<false, false>, CarriesOut<false, true>, Imm},
    {'I', 0x12, El, Masked, Carries<true, false>, Carries<true, true>},
    {'I', 0x13, El, MaskD, CarriesOut<true, false>, CarriesOut<true, true>},
    {'I', 0x17, El, Masked, Merges<false>, Merges<true>, Imm},
    {'I', 0x17, El, Unmasked, Same<Move, false, false>, Same<Move, false, true>, Imm, -1, 0},
    compare_row<Equal, false>(0x18, Imm),
    compare_row<NotEqual, false>(0x19, Imm),
    compare_row<Less, false>(0x1a),
    compare_row<Less, true>(0x1b),
    compare_row<LessEqual, false>(0x1c, Imm),
    compare_row<LessEqual, true>(0x1d, Imm),
    {'I', 0x1e, El, MaskD, {}, Compares<Greater, false, true>, Imm},
    {'I', 0x1f, El, MaskD, {}, Compares<Greater, true, true>, Imm},
    row<ShiftLeft, false>('I', 0x25, Bits),
    row<ShiftRight, false>('I', 0x28, Bits),
    row<ShiftRight, true>('I', 0x29, Bits),
    reduce_row<Add, false>(0x00),
    reduce_row<And, false>(0x01),
    reduce_row<Or, false>(0x02),
    reduce_row<Xor, false>(0x03),
    reduce_row<Min, false>(0x04),
    reduce_row<Min, true>(0x05),
    reduce_row<Max, false>(0x06),
    reduce_row<Max, true>(0x07),
    row<Divide, false>('M', 0x20),
    row<Divide, true>('M', 0x21),
    row<Remainder, false>('M', 0x22),
    row<Remainder, true>('M', 0x23),
    row<MulHighUnsigned, false>('M', 0x24),
    row<Mul, false>('M', 0x25),
    {'M', 0x26, El, Plain, Mixed<false>, Mixed<true>},
    row<MulHigh, true>('M', 0x27),
    row<Madd, false>('M', 0x29),
    row<Nmsub, false>('M', 0x2b),
    row<Macc, false>('M', 0x2d),
    row<Nmsac, false>('M', 0x2f),
};

}  // namespace

std::span<const VectorRow> vector_integer_rows() {
    return Rows;
}

}  // namespace trnsim::rv32
