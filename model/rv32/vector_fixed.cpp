// Fixed-point operations, which saturate, or round by vxrm.
#include <algorithm>
#include <limits>

#include "model/rv32/vector.hpp"

namespace trnsim::rv32 {

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;

// Returns value / 2^bits, rounded.
i64 scaled(i64 value, unsigned bits, u32 vxrm) {
    if (bits == 0) return value;
    const bool half = (value >> (bits - 1) & 1) != 0;
    const bool rest = (value & ((i64{1} << (bits - 1)) - 1)) != 0;
    const bool odd = (value >> bits & 1) != 0;
    const bool ups[] = {half, half && (rest || odd), false, !odd && (half || rest)};
    return (value >> bits) + (ups[vxrm] ? 1 : 0);
}

// Notes saturation.
class Saturating {
  public:
    explicit Saturating(State& s) : vxrm_(s.vxrm) {}
    void finish(State& s) const { s.vxsat |= saturated_ ? 1 : 0; }

  protected:
    template <class D>
    D saturate(i64 value) {
        const i64 inside =
            std::clamp(value, i64{std::numeric_limits<D>::min()}, i64{std::numeric_limits<D>::max()});
        saturated_ |= inside != value;
        return static_cast<D>(inside);
    }
    u32 vxrm_;

  private:
    bool saturated_ = false;
};

struct Add : Saturating {
    using Saturating::Saturating;
    template <class T>
    T operator()(T x, T y, T) {
        return saturate<T>(i64{x} + i64{y});
    }
};
struct Sub : Saturating {
    using Saturating::Saturating;
    template <class T>
    T operator()(T x, T y, T) {
        return saturate<T>(i64{x} - i64{y});
    }
};
struct AverageAdd : Saturating {
    using Saturating::Saturating;
    template <class T>
    T operator()(T x, T y, T) {
        return static_cast<T>(scaled(i64{x} + i64{y}, 1, vxrm_));
    }
};
struct AverageSub : Saturating {
    using Saturating::Saturating;
    template <class T>
    T operator()(T x, T y, T) {
        return static_cast<T>(scaled(i64{x} - i64{y}, 1, vxrm_));
    }
};
struct Mul : Saturating {
    using Saturating::Saturating;
    template <class T>
    T operator()(T x, T y, T) {
        return saturate<T>(scaled(i64{x} * i64{y}, 8 * sizeof(T) - 1, vxrm_));
    }
};
struct Shift : Saturating {
    using Saturating::Saturating;
    template <class T, class Y>
    T operator()(T x, Y y, T) {
        return static_cast<T>(scaled(x, y & (8 * sizeof(T) - 1), vxrm_));
    }
};
struct Clip : Saturating {
    using Saturating::Saturating;
    template <class D, class X, class Y>
    D operator()(X x, Y y, D) {
        return saturate<D>(scaled(x, y & (8 * sizeof(X) - 1), vxrm_));
    }
};

template <class F, bool Signed, bool Scalar>
constexpr Kernels Same = {elements<Int<0, Signed>, Int<0, Signed>, Int<0, Signed>, F, Scalar>,
                          elements<Int<1, Signed>, Int<1, Signed>, Int<1, Signed>, F, Scalar>,
                          elements<Int<2, Signed>, Int<2, Signed>, Int<2, Signed>, F, Scalar>};
template <bool Signed, bool Scalar>
constexpr Kernels Shifts = {elements<Int<0, Signed>, Int<0, Signed>, Int<0, false>, Shift, Scalar>,
                            elements<Int<1, Signed>, Int<1, Signed>, Int<1, false>, Shift, Scalar>,
                            elements<Int<2, Signed>, Int<2, Signed>, Int<2, false>, Shift, Scalar>};
template <bool Signed, bool Scalar>
constexpr Kernels Clips = {elements<Int<0, Signed>, Int<1, Signed>, Int<0, false>, Clip, Scalar>,
                           elements<Int<1, Signed>, Int<2, Signed>, Int<1, false>, Clip, Scalar>, nullptr};

template <class F, bool Signed>
constexpr VectorRow row(char category, u8 funct6, VectorRow::Immediate immediate = VectorRow::None) {
    return {category, funct6, Kind::Elements, Plain, Same<F, Signed, false>, Same<F, Signed, true>,
            immediate};
}

constexpr VectorRow Rows[] = {
    row<Add, false>('I', 0x20, VectorRow::Signed),
    row<Add, true>('I', 0x21, VectorRow::Signed),
    row<Sub, false>('I', 0x22),
    row<Sub, true>('I', 0x23),
    row<Mul, true>('I', 0x27),
    {'I', 0x2a, Kind::Elements, Plain, Shifts<false, false>, Shifts<false, true>, VectorRow::Unsigned},
    {'I', 0x2b, Kind::Elements, Plain, Shifts<true, false>, Shifts<true, true>, VectorRow::Unsigned},
    {'I', 0x2e, Kind::Elements, WideX, Clips<false, false>, Clips<false, true>, VectorRow::Unsigned},
    {'I', 0x2f, Kind::Elements, WideX, Clips<true, false>, Clips<true, true>, VectorRow::Unsigned},
    row<AverageAdd, false>('M', 0x08),
    row<AverageAdd, true>('M', 0x09),
    row<AverageSub, false>('M', 0x0a),
    row<AverageSub, true>('M', 0x0b),
};

}  // namespace

std::span<const VectorRow> vector_fixed_rows() {
    return Rows;
}

}  // namespace trnsim::rv32
