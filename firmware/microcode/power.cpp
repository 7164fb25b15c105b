// Computes x^y = 2^(y log2 x). The logarithm is the sum of two floats, since one alone is too short: an
// exponent of 128 leaves it at most 17 bits after the point. The second float holds the rest.
#include "firmware/microcode/alu.hpp"
#include "firmware/microcode/vectors.hpp"

namespace trnsim::firmware {

namespace {

// Coefficients, highest power first.
constexpr float LogSeries[] = {1.0F / 9.0F, 1.0F / 7.0F, 1.0F / 5.0F, 1.0F / 3.0F};
constexpr float ExpSeries[] = {
    1.54035304e-4F, 1.33335581e-3F, 9.61812911e-3F, 5.55041087e-2F, 2.40226507e-1F, 6.93147181e-1F, 1.0F};

// Returns log2 of positive finite numbers as the sum of the result and `rest_of_it`.
HalfFloats log2(HalfFloats x, HalfFloats& rest_of_it, size_t vl) {
    // Subnormals are multiplied by 2^24. x = m 2^exponent, m in [sqrt(1/2), sqrt(2)).
    const HalfMask small = __riscv_vmflt(x, 0x1p-126F, vl);
    x = __riscv_vmerge(x, __riscv_vfmul(x, 0x1p24F, vl), small, vl);
    constexpr uint32_t Low = 0x3f3504f3;  // sqrt(1/2)
    const HalfBits offset = __riscv_vsub(as_bits(x), Low, vl);
    HalfInts exponent = __riscv_vsra(as_ints(offset), 23, vl);
    const HalfFloats m = as_floats(__riscv_vadd(__riscv_vand(offset, 0x7fffff, vl), Low, vl));
    exponent = __riscv_vmerge(exponent, __riscv_vsub(exponent, 24, vl), small, vl);
    const HalfFloats whole = __riscv_vfcvt_f(exponent, vl);

    // s = (m - 1) / (m + 1); m - 1 is exact, and m + 1 is the sum of two floats.
    const HalfFloats difference = __riscv_vfsub(m, 1.0F, vl);
    const HalfFloats sum = __riscv_vfadd(m, 1.0F, vl);
    const HalfFloats of_m = __riscv_vfsub(sum, 1.0F, vl);
    const HalfFloats sum_low =
        __riscv_vfadd(__riscv_vfsub(m, of_m, vl), __riscv_vfrsub(__riscv_vfsub(sum, of_m, vl), 1.0F, vl), vl);
    const HalfFloats s = __riscv_vfdiv(difference, sum, vl);
    HalfFloats rest = __riscv_vfnmsac(difference, s, sum, vl);
    rest = __riscv_vfnmsac(rest, s, sum_low, vl);
    const HalfFloats s_low = __riscv_vfdiv(rest, sum, vl);

    // log2 m = 2 / ln 2 (s + s^3 / 3 + s^5 / 5 + ...)
    const HalfFloats square = __riscv_vfmul(s, s, vl);
    HalfFloats series = __riscv_vfmv_v_f_f32m4(1.0F / 11.0F, vl);
    for (const float coefficient : LogSeries) {
        series = __riscv_vfmadd(series, square, __riscv_vfmv_v_f_f32m4(coefficient, vl), vl);
    }
    series = __riscv_vfmul(series, __riscv_vfmul(square, s, vl), vl);
    constexpr float Scale = 2.88539004F, ScaleLow = 3.85192598e-8F;  // 2 / ln 2
    const HalfFloats main = __riscv_vfmul(s, Scale, vl);
    HalfFloats low = __riscv_vfmsac(main, Scale, s, vl);
    low = __riscv_vfmacc(low, ScaleLow, s, vl);
    low = __riscv_vfmacc(low, Scale, s_low, vl);
    low = __riscv_vfmacc(low, Scale, series, vl);

    // Adds both, the larger one first.
    const HalfFloats high = __riscv_vfadd(whole, main, vl);
    const HalfFloats of_main = __riscv_vfsub(high, whole, vl);
    const HalfFloats lost = __riscv_vfadd(__riscv_vfsub(whole, __riscv_vfsub(high, of_main, vl), vl),
                                          __riscv_vfsub(main, of_main, vl), vl);
    low = __riscv_vfadd(low, lost, vl);
    const HalfFloats total = __riscv_vfadd(high, low, vl);
    rest_of_it = __riscv_vfsub(low, __riscv_vfsub(total, high, vl), vl);
    return total;
}

// Computes 2^(high + low), |high| <= 160.
HalfFloats exp2(HalfFloats high, HalfFloats low, size_t vl) {
    const HalfInts whole = __riscv_vfcvt_x(high, vl);
    const HalfFloats fraction = __riscv_vfadd(__riscv_vfsub(high, __riscv_vfcvt_f(whole, vl), vl), low, vl);
    HalfFloats series = __riscv_vfmv_v_f_f32m4(1.52527338e-5F, vl);
    for (const float coefficient : ExpSeries) {
        series = __riscv_vfmadd(series, fraction, __riscv_vfmv_v_f_f32m4(coefficient, vl), vl);
    }
    // Scales in two steps, as 2^whole may not be a normal number.
    const auto scale = [vl](HalfInts exponent) {
        return as_floats(as_bits(__riscv_vsll(__riscv_vadd(exponent, 127, vl), 23, vl)));
    };
    const HalfInts half = __riscv_vsra(whole, 1, vl);
    return __riscv_vfmul(__riscv_vfmul(series, scale(half), vl), scale(__riscv_vsub(whole, half, vl)), vl);
}

constexpr float Infinity = __builtin_inff();

// Returns |x|^y where x or y is 0 or infinite, which is 0 or infinity, and 1 for x = 1.
HalfFloats limit(HalfFloats x, HalfFloats y, size_t vl) {
    const HalfMask grows = __riscv_vmxor(__riscv_vmfgt(x, 1.0F, vl), __riscv_vmflt(y, 0.0F, vl), vl);
    const HalfFloats value = __riscv_vfmerge(__riscv_vfmv_v_f_f32m4(0.0F, vl), Infinity, grows, vl);
    return __riscv_vfmerge(value, 1.0F, __riscv_vmfeq(x, 1.0F, vl), vl);
}

HalfFloats power_of(HalfFloats x, HalfFloats y, size_t vl) {
    const HalfFloats size = __riscv_vfabs(x, vl), y_size = __riscv_vfabs(y, vl);
    const HalfMask finite_y = __riscv_vmflt(y_size, Infinity, vl);
    HalfFloats logarithm_low;
    const HalfFloats logarithm = log2(size, logarithm_low, vl);
    const HalfFloats high = __riscv_vfmul(y, logarithm, vl);
    HalfFloats low = __riscv_vfmsac(high, y, logarithm, vl);
    low = __riscv_vfmacc(low, y, logarithm_low, vl);
    const HalfMask beyond = __riscv_vmfgt(__riscv_vfabs(high, vl), 160.0F, vl);
    low = __riscv_vfmerge(low, 0.0F, beyond, vl);
    HalfFloats result = exp2(__riscv_vfmax(__riscv_vfmin(high, 160.0F, vl), -160.0F, vl), low, vl);

    const HalfMask infinite =
        __riscv_vmor(__riscv_vmfeq(size, Infinity, vl), __riscv_vmnot(finite_y, vl), vl);
    const HalfMask at_limit = __riscv_vmor(__riscv_vmfeq(size, 0.0F, vl), infinite, vl);
    result = __riscv_vmerge(result, limit(size, y, vl), at_limit, vl);

    // Finds out whether y is whole; from 2^24 on all numbers are even.
    const HalfInts whole = __riscv_vfcvt_x(y, vl);
    const HalfMask integral = __riscv_vmor(__riscv_vmfeq(__riscv_vfcvt_f(whole, vl), y, vl),
                                           __riscv_vmfge(y_size, 0x1p24F, vl), vl);
    const HalfMask odd = __riscv_vmand(__riscv_vmand(integral, __riscv_vmflt(y_size, 0x1p24F, vl), vl),
                                       __riscv_vmsne(__riscv_vand(whole, 1, vl), 0, vl), vl);
    const HalfMask negative = __riscv_vmslt(as_ints(as_bits(x)), 0, vl);
    result = __riscv_vmerge(result, __riscv_vfneg(result, vl), __riscv_vmand(negative, odd, vl), vl);

    // The result is NaN if it is not real or if an operand is NaN, except for y = 0 and x = 1.
    const float nan = __builtin_nanf("");
    const HalfMask finite_negative =
        __riscv_vmand(__riscv_vmflt(x, 0.0F, vl), __riscv_vmflt(size, Infinity, vl), vl);
    HalfMask none = __riscv_vmandn(finite_negative, integral, vl);
    none = __riscv_vmor(none, __riscv_vmor(__riscv_vmfne(x, x, vl), __riscv_vmfne(y, y, vl), vl), vl);
    result = __riscv_vfmerge(result, nan, none, vl);
    const HalfMask one = __riscv_vmor(__riscv_vmfeq(y, 0.0F, vl), __riscv_vmfeq(x, 1.0F, vl), vl);
    return __riscv_vfmerge(result, 1.0F, one, vl);
}

}  // namespace

void power(uint32_t* dst, Stream x, Stream y, size_t groups, size_t words) {
    for (words *= groups;;) {
        const size_t vl = half_lanes(words);
        store(dst, power_of(as_floats(load_half(x.words, vl)), as_floats(load_half(y.words, vl)), vl), vl);
        if (words <= HalfWords) return;
        words -= HalfWords;
        dst += HalfWords;
        if (x.step != 0) x.words += HalfWords;
        if (y.step != 0) y.words += HalfWords;
    }
}

}  // namespace trnsim::firmware
