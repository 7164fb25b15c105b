// Conversion of elements from their own types to fp32 and back.
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "arch/numerics/format.hpp"
#include "model/values/kernels/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/values/kernels/convert.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "model/values/kernels/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace trnsim::fast::kernels::HWY_NAMESPACE {

using isa::Dtype;

// ------------------------------------------------------------------------------------------------------ widen

template <typename Element>
HWY_ATTR hn::Vec<hn::Rebind<Element, U>> elements_at(const std::uint8_t* from) {
    return hn::LoadU(hn::Rebind<Element, U>(), reinterpret_cast<const Element*>(from));
}

struct FromFp32 {
    using Element = std::uint32_t;
    HWY_ATTR VF operator()(const std::uint8_t* from) const {
        return operand(hn::BitCast(F(), elements_at<Element>(from)));
    }
};
struct FromTf32 {
    using Element = std::uint32_t;
    HWY_ATTR VF operator()(const std::uint8_t* from) const {
        return operand(hn::BitCast(F(), hn::And(elements_at<Element>(from), hn::Set(U(), 0xffffe000U))));
    }
};
struct FromBf16 {
    using Element = std::uint16_t;
    HWY_ATTR VF operator()(const std::uint8_t* from) const {
        return operand(hn::BitCast(F(), hn::ShiftLeft<16>(hn::PromoteTo(U(), elements_at<Element>(from)))));
    }
};
struct FromFp16 {
    using Element = std::uint16_t;
    // A subnormal is its fraction times 2^-24.
    HWY_ATTR VF operator()(const std::uint8_t* from) const {
        const VU bits = hn::PromoteTo(U(), elements_at<Element>(from));
        const VU sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(U(), 0x8000U)));
        const VU magnitude = hn::And(bits, hn::Set(U(), 0x7fffU));
        const VF normal =
            hn::BitCast(F(), hn::Add(hn::ShiftLeft<13>(magnitude), hn::Set(U(), (127U - 15U) << 23)));
        const VF small = hn::Mul(hn::ConvertTo(F(), hn::BitCast(I(), magnitude)), hn::Set(F(), 0x1p-24F));
        VF value = hn::IfThenElse(
            hn::RebindMask(F(), hn::Lt(hn::BitCast(I(), magnitude), hn::Set(I(), 0x400))), small, normal);
        value = hn::IfThenElse(hn::RebindMask(F(), hn::Eq(magnitude, hn::Set(U(), 0x7c00U))),
                               hn::BitCast(F(), hn::Set(U(), 0x7f800000U)), value);
        value = hn::Or(value, hn::BitCast(F(), sign));
        return hn::IfThenElse(hn::RebindMask(F(), hn::Gt(hn::BitCast(I(), magnitude), hn::Set(I(), 0x7c00))),
                              nan_vector(), value);
    }
};
// A table of the 256 values of a one-byte type.
struct FromTable {
    using Element = std::uint8_t;
    const float* table;
    HWY_ATTR VF operator()(const std::uint8_t* from) const {
        return hn::GatherIndex(F(), table, hn::PromoteTo(I(), elements_at<Element>(from)));
    }
};
template <typename Integer>
struct FromInteger {
    using Element = Integer;
    HWY_ATTR VF operator()(const std::uint8_t* from) const {
        return hn::ConvertTo(F(), hn::PromoteTo(I(), elements_at<Element>(from)));
    }
};
template <>
struct FromInteger<std::int32_t> {
    using Element = std::int32_t;
    HWY_ATTR VF operator()(const std::uint8_t* from) const {
        return hn::ConvertTo(F(), elements_at<Element>(from));
    }
};
// Both halves, and the upper one times 2^16, are exact, so only the sum rounds.
template <>
struct FromInteger<std::uint32_t> {
    using Element = std::uint32_t;
    HWY_ATTR VF operator()(const std::uint8_t* from) const {
        const VU bits = elements_at<Element>(from);
        const VF low = hn::ConvertTo(F(), hn::BitCast(I(), hn::And(bits, hn::Set(U(), 0xffffU))));
        const VF high = hn::ConvertTo(F(), hn::BitCast(I(), hn::ShiftRight<16>(bits)));
        return hn::Add(hn::Mul(high, hn::Set(F(), 65536.0F)), low);
    }
};

// The destination of the values: one after the other, or block by block.
struct Line {
    float* to;
    float* at(std::size_t i) const { return to + i; }
};
template <std::size_t Block>
struct Blocks {
    float* to;
    std::size_t pitch;
    float* at(std::size_t i) const { return to + i / Block * pitch + i % Block; }
};

template <typename Convert, typename To>
HWY_ATTR void widen_all(const Convert& convert, const std::uint8_t* from, To to, std::size_t count) {
    for (std::size_t i = 0; i < count; i += hn::Lanes(F()))
        hn::Store(convert(from + i * sizeof(typename Convert::Element)), F(), to.at(i));
}

template <typename To>
HWY_ATTR void widen_to(Dtype dtype, const float* table, const std::uint8_t* from, To to, std::size_t count) {
    switch (dtype) {
        case Dtype::Fp32:
            return widen_all(FromFp32{}, from, to, count);
        case Dtype::Tf32:
            return widen_all(FromTf32{}, from, to, count);
        case Dtype::Bf16:
            return widen_all(FromBf16{}, from, to, count);
        case Dtype::Fp16:
            return widen_all(FromFp16{}, from, to, count);
        case Dtype::Fp8E3m4:
        case Dtype::Fp8E4m3:
        case Dtype::Fp8E5m2:
            return widen_all(FromTable{table}, from, to, count);
        case Dtype::I8:
            return widen_all(FromInteger<std::int8_t>{}, from, to, count);
        case Dtype::U8:
            return widen_all(FromInteger<std::uint8_t>{}, from, to, count);
        case Dtype::I16:
            return widen_all(FromInteger<std::int16_t>{}, from, to, count);
        case Dtype::U16:
            return widen_all(FromInteger<std::uint16_t>{}, from, to, count);
        case Dtype::I32:
            return widen_all(FromInteger<std::int32_t>{}, from, to, count);
        case Dtype::U32:
            return widen_all(FromInteger<std::uint32_t>{}, from, to, count);
    }
}

HWY_ATTR void widen_on_target(Dtype dtype, const float* table, const std::uint8_t* from, float* to,
                              std::size_t count) {
    widen_to(dtype, table, from, Line{to}, count);
}

HWY_ATTR void widen_blocks_on_target(Dtype dtype, const float* table, const std::uint8_t* from, float* to,
                                     std::size_t pitch, std::size_t count) {
    widen_to(dtype, table, from, Blocks<BlockElements>{to, pitch}, count);
}

// ------------------------------------------------------------------------------------------------------ narrow

template <int ExponentBits, int FractionBits, int UnusedBits, bool Flush, bool OverflowToNan, typename Stored>
struct Float {
    using Element = Stored;
    static constexpr int Bias = (1 << (ExponentBits - 1)) - 1, Dropped = 23 - FractionBits,
                         Unused = UnusedBits;
    static constexpr int SignShift = 31 - ExponentBits - FractionBits;
    static constexpr std::int32_t Infinity = ((1 << ExponentBits) - 1) << FractionBits;
    static constexpr std::int32_t Nan = Infinity | 1 << (FractionBits - 1);
    static constexpr std::int32_t LeastNormal = (128 - Bias) << 23;  // the format's, as fp32 bits
    static constexpr bool Flushes = Flush, OverflowsToNan = OverflowToNan;
};
using Tf32 = Float<8, 10, 13, true, false, std::uint32_t>;
using Bf16 = Float<8, 7, 0, true, false, std::uint16_t>;
using Fp16 = Float<5, 10, 0, false, false, std::uint16_t>;
using E3m4 = Float<3, 4, 0, false, false, std::uint8_t>;
using E4m3 = Float<4, 3, 0, false, true, std::uint8_t>;
using E5m2 = Float<5, 2, 0, false, false, std::uint8_t>;

// Makes the result from the rounded magnitude and from what does not depend on rounding: infinities, NaN,
// overflow, sign.
template <typename Format>
HWY_ATTR VI finish(VU bits, VI magnitude, VI rounded) {
    constexpr std::int32_t Infinity32 = 0x7f800000;
    const VI nan = hn::Set(I(), Format::Nan), infinity = hn::Set(I(), Format::Infinity);
    VI result = hn::IfThenElse(hn::Lt(rounded, infinity), rounded, Format::OverflowsToNan ? nan : infinity);
    result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(I(), 0x00800000)), hn::Zero(I()), result);
    result = hn::IfThenElse(hn::Eq(magnitude, hn::Set(I(), Infinity32)), infinity, result);
    result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(I(), Infinity32)), nan, result);
    const VI sign =
        hn::BitCast(I(), hn::ShiftRight<Format::SignShift>(hn::And(bits, hn::Set(U(), 0x80000000U))));
    return hn::IfThenElse(hn::Eq(result, nan), nan, hn::Or(result, sign));
}

template <typename Format>
struct Nearest {
    using Element = typename Format::Element;
    HWY_ATTR VI operator()(const float* from, std::size_t i) const {
        constexpr int Dropped = Format::Dropped;
        const VU bits = hn::BitCast(U(), hn::Load(F(), from + i));
        const VI magnitude = hn::BitCast(I(), hn::And(bits, hn::Set(U(), 0x7fffffffU)));
        const VI finite = hn::Min(magnitude, hn::Set(I(), 0x7f800000));
        const VI odd = hn::And(hn::ShiftRight<Dropped>(finite), hn::Set(I(), 1));
        const VI sum = hn::Add(hn::Add(finite, hn::Set(I(), (1 << (Dropped - 1)) - 1)), odd);
        VI rounded =
            hn::Sub(hn::ShiftRight<Dropped>(sum), hn::Set(I(), (127 - Format::Bias) << (23 - Dropped)));
        if constexpr (!Format::Flushes) {
            // When a small magnitude is added to this step, its last place is that of the format.
            constexpr std::int32_t Step = (128 - Format::Bias + Dropped) << 23;
            const VI least = hn::Set(I(), Format::LeastNormal);
            const VF small =
                hn::Add(hn::BitCast(F(), hn::Min(finite, least)), hn::BitCast(F(), hn::Set(I(), Step)));
            rounded = hn::IfThenElse(hn::Lt(finite, least),
                                     hn::Sub(hn::BitCast(I(), small), hn::Set(I(), Step)), rounded);
        }
        return finish<Format>(bits, magnitude, rounded);
    }
};

// Adds one unit iff the draw is below the dropped bits, left-aligned.
template <typename Format>
struct Stochastic {
    using Element = typename Format::Element;
    const std::uint32_t* draws;
    HWY_ATTR VI operator()(const float* from, std::size_t i) const {
        constexpr int Dropped = Format::Dropped;
        const VU bits = hn::BitCast(U(), hn::Load(F(), from + i));
        const VU magnitude = hn::And(bits, hn::Set(U(), 0x7fffffffU));
        const VI lane = hn::Mul(hn::Add(hn::Iota(I(), 0), hn::Set(I(), static_cast<std::int32_t>(i))),
                                hn::Set(I(), static_cast<std::int32_t>(Lanes)));
        const VU draw = hn::GatherIndex(U(), draws, lane);
        VU kept = hn::Sub(hn::ShiftRight<Dropped>(magnitude),
                          hn::Set(U(), static_cast<std::uint32_t>(127 - Format::Bias) << (23 - Dropped)));
        VU dropped = hn::ShiftLeft<32 - Dropped>(magnitude);
        if constexpr (!Format::Flushes) {
            // Below the least normal value the last place stays where it is: more bits are dropped.
            const VU significand =
                hn::Or(hn::And(magnitude, hn::Set(U(), 0x7fffffU)), hn::Set(U(), 0x800000U));
            const VI exponent = hn::BitCast(I(), hn::ShiftRight<23>(magnitude));
            const VI amount = hn::Sub(hn::Set(I(), Dropped + 128 - Format::Bias), exponent);
            const auto small = hn::Lt(hn::BitCast(I(), magnitude), hn::Set(I(), Format::LeastNormal));
            const VI most = hn::Set(I(), 32);
            // The counts of shifts stay below 32, because not every instruction set takes more.
            const VI right = hn::Max(hn::Min(amount, hn::Set(I(), 31)), hn::Zero(I()));
            const VI left = hn::Min(hn::Max(hn::Sub(most, amount), hn::Zero(I())), hn::Set(I(), 31));
            const VI beyond = hn::Min(hn::Max(hn::Sub(amount, most), hn::Zero(I())), hn::Set(I(), 31));
            const VU small_kept = hn::Shr(significand, hn::BitCast(U(), right));
            const VU small_dropped = hn::IfThenElse(hn::RebindMask(U(), hn::Gt(amount, most)),
                                                    hn::Shr(significand, hn::BitCast(U(), beyond)),
                                                    hn::Shl(significand, hn::BitCast(U(), left)));
            kept = hn::IfThenElse(hn::RebindMask(U(), small), small_kept, kept);
            dropped = hn::IfThenElse(hn::RebindMask(U(), small), small_dropped, dropped);
        }
        // Unsigned comparison.
        const VU top = hn::Set(U(), 0x80000000U);
        const auto up = hn::Lt(hn::BitCast(I(), hn::Xor(draw, top)), hn::BitCast(I(), hn::Xor(dropped, top)));
        const VI rounded = hn::Sub(hn::BitCast(I(), kept), hn::VecFromMask(I(), up));
        return finish<Format>(bits, hn::BitCast(I(), magnitude), rounded);
    }
};

// Rounds to nearest even and saturates; NaN gives 0.
template <typename Integer>
struct ToInteger {
    using Element = std::make_unsigned_t<Integer>;
    HWY_ATTR VI operator()(const float* from, std::size_t i) const {
        VF value = hn::Load(F(), from + i);
        value = hn::IfThenElseZero(hn::Eq(value, value), value);
        const VF low = hn::Set(F(), static_cast<float>(std::numeric_limits<Integer>::min()));
        const VF high = hn::Set(F(), static_cast<float>(std::numeric_limits<Integer>::max()));
        return hn::NearestInt(hn::Min(hn::Max(value, low), high));
    }
};
template <>
struct ToInteger<std::int32_t> {
    using Element = std::uint32_t;
    HWY_ATTR VI operator()(const float* from, std::size_t i) const {
        VF value = hn::Load(F(), from + i);
        value = hn::IfThenElseZero(hn::Eq(value, value), value);
        const VF beyond = hn::Set(F(), 0x1p31F);
        const VF least = hn::Set(F(), -0x1p31F), most = hn::Set(F(), 0x1.fffffep30F);
        const VI whole = hn::NearestInt(hn::Min(hn::Max(value, least), most));
        return hn::IfThenElse(hn::RebindMask(I(), hn::Ge(value, beyond)), hn::Set(I(), 0x7fffffff), whole);
    }
};
template <>
struct ToInteger<std::uint32_t> {
    using Element = std::uint32_t;
    HWY_ATTR VI operator()(const float* from, std::size_t i) const {
        VF value = hn::Load(F(), from + i);
        value = hn::Max(hn::IfThenElseZero(hn::Eq(value, value), value), hn::Zero(F()));
        const VF half = hn::Set(F(), 0x1p31F), most = hn::Set(F(), 0x1.fffffep30F);
        const auto upper = hn::Ge(value, half);
        const VF rest = hn::IfThenElse(upper, hn::Sub(value, half), value);
        const VI whole = hn::NearestInt(hn::Min(rest, most));
        const VI top = hn::BitCast(I(), hn::Set(U(), 0x80000000U));
        const VI result = hn::IfThenElse(hn::RebindMask(I(), upper), hn::Xor(whole, top), whole);
        const auto beyond = hn::Ge(value, hn::Set(F(), 0x1p32F));
        return hn::IfThenElse(hn::RebindMask(I(), beyond), hn::Set(I(), -1), result);
    }
};

template <typename Element>
HWY_ATTR void store_low(VI values, std::uint8_t* to) {
    if constexpr (sizeof(Element) == 4) {
        hn::StoreU(hn::BitCast(U(), values), U(), reinterpret_cast<std::uint32_t*>(to));
    } else {
        using D = hn::Rebind<Element, U>;
        hn::StoreU(hn::TruncateTo(D(), hn::BitCast(U(), values)), D(), reinterpret_cast<Element*>(to));
    }
}

// Stores the low bytes of what `convert` gives for elements i and after. Calls seen(values, count) for all of
// them.
template <typename Element, typename Convert, typename Seen>
HWY_ATTR void store_all(const Convert& convert, std::uint8_t* to, std::size_t count, Seen seen) {
    const std::size_t lanes = hn::Lanes(F());
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const VI values = convert(i);
        seen(values, lanes);
        store_low<Element>(values, to + i * sizeof(Element));
    }
    if (i == count) return;
    alignas(Padding) std::uint8_t last[Padding];
    const VI values = convert(i);
    seen(values, count - i);
    store_low<Element>(values, last);
    std::memcpy(to + i * sizeof(Element), last, (count - i) * sizeof(Element));
}

template <typename Format, typename Convert>
HWY_ATTR bool narrow_floats(const Convert& convert, const float* from, std::uint8_t* to, std::size_t count) {
    auto any = hn::FirstN(I(), 0);
    if constexpr (Format::Unused == 0) {
        store_all<typename Format::Element>(
            [&](std::size_t i) HWY_ATTR { return convert(from, i); }, to, count,
            [&](VI values, std::size_t n) HWY_ATTR {
                any = hn::Or(any, hn::And(hn::Eq(values, hn::Set(I(), Format::Nan)), hn::FirstN(I(), n)));
            });
    } else {
        store_all<typename Format::Element>(
            [&](std::size_t i) HWY_ATTR { return hn::ShiftLeft<Format::Unused>(convert(from, i)); }, to,
            count,
            [&](VI values, std::size_t n) HWY_ATTR {
                const VI nan = hn::Set(I(), Format::Nan << Format::Unused);
                any = hn::Or(any, hn::And(hn::Eq(values, nan), hn::FirstN(I(), n)));
            });
    }
    return !hn::AllFalse(I(), any);
}

HWY_ATTR bool narrow_fp32(const float* from, std::uint8_t* to, std::size_t count) {
    auto any = hn::FirstN(F(), 0);
    store_all<std::uint32_t>(
        [&](std::size_t i) HWY_ATTR { return hn::BitCast(I(), hn::Load(F(), from + i)); }, to, count,
        [&](VI values, std::size_t n) HWY_ATTR {
            const auto nan = hn::IsNaN(hn::BitCast(F(), values));
            any = hn::Or(any, hn::And(nan, hn::FirstN(F(), n)));
        });
    return !hn::AllFalse(F(), any);
}

template <typename Integer>
HWY_ATTR bool narrow_integers(const float* from, std::uint8_t* to, std::size_t count) {
    const ToInteger<Integer> convert;
    store_all<typename ToInteger<Integer>::Element>([&](std::size_t i) HWY_ATTR { return convert(from, i); },
                                                    to, count, [](VI, std::size_t) {});
    return false;
}

template <typename Format>
HWY_ATTR bool narrow_either(const float* from, const std::uint32_t* draws, std::uint8_t* to,
                            std::size_t count) {
    if (draws != nullptr) return narrow_floats<Format>(Stochastic<Format>{draws}, from, to, count);
    return narrow_floats<Format>(Nearest<Format>{}, from, to, count);
}

HWY_ATTR bool narrow_on_target(Dtype dtype, const float* from, const std::uint32_t* draws, std::uint8_t* to,
                               std::size_t count) {
    switch (dtype) {
        case Dtype::Fp32:
            return narrow_fp32(from, to, count);
        case Dtype::Tf32:
            return narrow_either<Tf32>(from, draws, to, count);
        case Dtype::Bf16:
            return narrow_either<Bf16>(from, draws, to, count);
        case Dtype::Fp16:
            return narrow_either<Fp16>(from, draws, to, count);
        case Dtype::Fp8E3m4:
            return narrow_either<E3m4>(from, draws, to, count);
        case Dtype::Fp8E4m3:
            return narrow_either<E4m3>(from, draws, to, count);
        case Dtype::Fp8E5m2:
            return narrow_either<E5m2>(from, draws, to, count);
        case Dtype::I8:
            return narrow_integers<std::int8_t>(from, to, count);
        case Dtype::U8:
            return narrow_integers<std::uint8_t>(from, to, count);
        case Dtype::I16:
            return narrow_integers<std::int16_t>(from, to, count);
        case Dtype::U16:
            return narrow_integers<std::uint16_t>(from, to, count);
        case Dtype::I32:
            return narrow_integers<std::int32_t>(from, to, count);
        case Dtype::U32:
            return narrow_integers<std::uint32_t>(from, to, count);
    }
    return false;
}

// ------------------------------------------------------------------------------------------------------ bits

template <typename Element>
HWY_ATTR VU bits_at(const std::uint8_t* from) {
    if constexpr (sizeof(Element) == 4) {
        return elements_at<Element>(from);
    } else {
        return hn::PromoteTo(U(), elements_at<Element>(from));
    }
}

template <typename Element>
HWY_ATTR void widen_elements(const std::uint8_t* from, std::uint32_t* to, std::size_t count) {
    for (std::size_t i = 0; i < count; i += hn::Lanes(U()))
        hn::Store(bits_at<Element>(from + i * sizeof(Element)), U(), to + i);
}

HWY_ATTR void widen_bits_on_target(std::uint32_t size, const std::uint8_t* from, std::uint32_t* to,
                                   std::size_t count) {
    if (size == 1) return widen_elements<std::uint8_t>(from, to, count);
    if (size == 2) return widen_elements<std::uint16_t>(from, to, count);
    widen_elements<std::uint32_t>(from, to, count);
}

template <typename Element>
HWY_ATTR void narrow_elements(const std::uint32_t* from, std::uint8_t* to, std::size_t count) {
    const VU low = hn::Set(U(), std::uint32_t{std::numeric_limits<Element>::max()});
    store_all<Element>([&](std::size_t i)
                           HWY_ATTR { return hn::BitCast(I(), hn::And(hn::Load(U(), from + i), low)); },
                       to, count, [](VI, std::size_t) {});
}

HWY_ATTR void narrow_bits_on_target(std::uint32_t size, const std::uint32_t* from, std::uint8_t* to,
                                    std::size_t count) {
    if (size == 1) return narrow_elements<std::uint8_t>(from, to, count);
    if (size == 2) return narrow_elements<std::uint16_t>(from, to, count);
    narrow_elements<std::uint32_t>(from, to, count);
}

// Returns whether a magnitude is above that of infinity.
template <typename Element>
HWY_ATTR bool above(const std::uint8_t* elements, std::uint32_t magnitude, std::uint32_t infinity,
                    std::size_t count) {
    auto any = hn::FirstN(I(), 0);
    for (std::size_t i = 0; i < count; i += hn::Lanes(U())) {
        const VU bits = bits_at<Element>(elements + i * sizeof(Element));
        const VI value = hn::BitCast(I(), hn::And(bits, hn::Set(U(), magnitude)));
        const auto nan = hn::Gt(value, hn::BitCast(I(), hn::Set(U(), infinity)));
        any = hn::Or(any, hn::And(nan, hn::FirstN(I(), count - i)));
    }
    return !hn::AllFalse(I(), any);
}

HWY_ATTR bool any_nan_on_target(std::uint32_t size, std::uint32_t magnitude, std::uint32_t infinity,
                                const std::uint8_t* elements, std::size_t count) {
    if (size == 1) return above<std::uint8_t>(elements, magnitude, infinity, count);
    if (size == 2) return above<std::uint16_t>(elements, magnitude, infinity, count);
    return above<std::uint32_t>(elements, magnitude, infinity, count);
}

}  // namespace trnsim::fast::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trnsim::fast::kernels {

HWY_EXPORT(widen_on_target);
HWY_EXPORT(widen_blocks_on_target);
HWY_EXPORT(narrow_on_target);
HWY_EXPORT(widen_bits_on_target);
HWY_EXPORT(narrow_bits_on_target);
HWY_EXPORT(any_nan_on_target);

namespace {

using ByteTable = std::array<float, 256>;

ByteTable table_of(isa::Dtype dtype) {
    ByteTable table{};
    for (std::size_t i = 0; i < table.size(); ++i)
        table[i] = numerics::to_fp32(static_cast<std::uint32_t>(i), dtype);
    return table;
}

const float* byte_table(isa::Dtype dtype) {
    static const ByteTable e3m4 = table_of(isa::Dtype::Fp8E3m4), e4m3 = table_of(isa::Dtype::Fp8E4m3),
                           e5m2 = table_of(isa::Dtype::Fp8E5m2);
    switch (dtype) {
        case isa::Dtype::Fp8E3m4:
            return e3m4.data();
        case isa::Dtype::Fp8E4m3:
            return e4m3.data();
        case isa::Dtype::Fp8E5m2:
            return e5m2.data();
        default:
            return nullptr;
    }
}

}  // namespace

void widen(isa::Dtype dtype, const std::uint8_t* from, float* to, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(widen_on_target)(dtype, byte_table(dtype), from, to, count);
}

void widen_blocks(isa::Dtype dtype, const std::uint8_t* from, float* to, std::size_t pitch,
                  std::size_t count) {
    HWY_DYNAMIC_DISPATCH(widen_blocks_on_target)(dtype, byte_table(dtype), from, to, pitch, count);
}

bool narrow(isa::Dtype dtype, const float* from, std::uint8_t* to, std::size_t count) {
    return HWY_DYNAMIC_DISPATCH(narrow_on_target)(dtype, from, nullptr, to, count);
}

bool narrow(isa::Dtype dtype, const float* from, const std::uint32_t* draws, std::uint8_t* to,
            std::size_t count) {
    return HWY_DYNAMIC_DISPATCH(narrow_on_target)(dtype, from, draws, to, count);
}

void widen_bits(std::uint32_t size, const std::uint8_t* from, std::uint32_t* to, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(widen_bits_on_target)(size, from, to, count);
}

void narrow_bits(std::uint32_t size, const std::uint32_t* from, std::uint8_t* to, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(narrow_bits_on_target)(size, from, to, count);
}

bool any_nan(isa::Dtype dtype, const std::uint8_t* elements, std::size_t count) {
    if (!numerics::is_float(dtype)) return false;
    const numerics::FloatFormat& format = numerics::float_format(dtype);
    const auto size = static_cast<std::uint32_t>(numerics::storage_bytes(dtype));
    const std::uint32_t infinity = ((1U << format.exponent_bits) - 1)
                                   << (format.fraction_bits + format.unused_low_bits);
    const std::uint32_t magnitude = size == 4 ? 0x7fffffffU : (1U << (8 * size - 1)) - 1;
    return HWY_DYNAMIC_DISPATCH(any_nan_on_target)(size, magnitude, infinity, elements, count);
}

}  // namespace trnsim::fast::kernels
#endif
