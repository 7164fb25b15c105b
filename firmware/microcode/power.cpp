// x^y = 2^(y log2 x). The logarithm is the sum of two floats, of which the second holds what the first has no
// room for: an exponent of 128 leaves a single one no more than 17 bits behind the point.
#include <riscv_vector.h>

#include "firmware/microcode/alu.hpp"
#include "trnsim/slice.hpp"

namespace trnsim::firmware {

namespace {

// Groups of four columns, as many numbers have to be kept.
using Bits = vuint32m4_t;
using Ints = vint32m4_t;
using Floats = vfloat32m4_t;
using Mask = vbool8_t;

constexpr size_t GroupWords = 4 * Partitions;

Floats as_floats(Bits v) {
    return __riscv_vreinterpret_v_u32m4_f32m4(v);
}
Bits as_bits(Floats v) {
    return __riscv_vreinterpret_v_f32m4_u32m4(v);
}
Bits as_bits(Ints v) {
    return __riscv_vreinterpret_v_i32m4_u32m4(v);
}
Ints as_ints(Bits v) {
    return __riscv_vreinterpret_v_u32m4_i32m4(v);
}
Floats load(const uint32_t* from, size_t vl) {
    return as_floats(__riscv_vle32_v_u32m4(from, vl));
}

// Coefficients by falling power.
constexpr float LogSeries[] = {1.0F / 9.0F, 1.0F / 7.0F, 1.0F / 5.0F, 1.0F / 3.0F};
constexpr float ExpSeries[] = {
    1.54035304e-4F, 1.33335581e-3F, 9.61812911e-3F, 5.55041087e-2F, 2.40226507e-1F, 6.93147181e-1F, 1.0F};

// log2 of positive finite numbers, as the sum of what is returned and `rest_of_it`.
Floats log2(Floats x, Floats& rest_of_it, size_t vl) {
    // Subnormals times 2^24. m in [sqrt(1/2), sqrt(2)), x = m 2^exponent.
    const Mask small = __riscv_vmflt(x, 0x1p-126F, vl);
    x = __riscv_vmerge(x, __riscv_vfmul(x, 0x1p24F, vl), small, vl);
    constexpr uint32_t Low = 0x3f3504f3;  // sqrt(1/2)
    const Bits offset = __riscv_vsub(as_bits(x), Low, vl);
    Ints exponent = __riscv_vsra(as_ints(offset), 23, vl);
    const Floats m = as_floats(__riscv_vadd(__riscv_vand(offset, 0x7fffff, vl), Low, vl));
    exponent = __riscv_vmerge(exponent, __riscv_vsub(exponent, 24, vl), small, vl);
    const Floats whole = __riscv_vfcvt_f(exponent, vl);

    // s = (m - 1) / (m + 1); m - 1 is exact, m + 1 the sum of two.
    const Floats difference = __riscv_vfsub(m, 1.0F, vl);
    const Floats sum = __riscv_vfadd(m, 1.0F, vl);
    const Floats of_m = __riscv_vfsub(sum, 1.0F, vl);
    const Floats sum_low =
        __riscv_vfadd(__riscv_vfsub(m, of_m, vl), __riscv_vfrsub(__riscv_vfsub(sum, of_m, vl), 1.0F, vl), vl);
    const Floats s = __riscv_vfdiv(difference, sum, vl);
    Floats rest = __riscv_vfnmsac(difference, s, sum, vl);
    rest = __riscv_vfnmsac(rest, s, sum_low, vl);
    const Floats s_low = __riscv_vfdiv(rest, sum, vl);

    // log2 m = 2 / ln 2 (s + s^3 / 3 + s^5 / 5 + ...)
    const Floats square = __riscv_vfmul(s, s, vl);
    Floats series = __riscv_vfmv_v_f_f32m4(1.0F / 11.0F, vl);
    for (const float coefficient : LogSeries) {
        series = __riscv_vfmadd(series, square, __riscv_vfmv_v_f_f32m4(coefficient, vl), vl);
    }
    series = __riscv_vfmul(series, __riscv_vfmul(square, s, vl), vl);
    constexpr float Scale = 2.88539004F, ScaleLow = 3.85192598e-8F;  // 2 / ln 2
    const Floats main = __riscv_vfmul(s, Scale, vl);
    Floats low = __riscv_vfmsac(main, Scale, s, vl);
    low = __riscv_vfmacc(low, ScaleLow, s, vl);
    low = __riscv_vfmacc(low, Scale, s_low, vl);
    low = __riscv_vfmacc(low, Scale, series, vl);

    // Together, the larger first.
    const Floats high = __riscv_vfadd(whole, main, vl);
    const Floats of_main = __riscv_vfsub(high, whole, vl);
    const Floats lost = __riscv_vfadd(__riscv_vfsub(whole, __riscv_vfsub(high, of_main, vl), vl),
                                      __riscv_vfsub(main, of_main, vl), vl);
    low = __riscv_vfadd(low, lost, vl);
    const Floats total = __riscv_vfadd(high, low, vl);
    rest_of_it = __riscv_vfsub(low, __riscv_vfsub(total, high, vl), vl);
    return total;
}

// 2^(high + low), |high| <= 160.
Floats exp2(Floats high, Floats low, size_t vl) {
    const Ints whole = __riscv_vfcvt_x(high, vl);
    const Floats fraction = __riscv_vfadd(__riscv_vfsub(high, __riscv_vfcvt_f(whole, vl), vl), low, vl);
    Floats series = __riscv_vfmv_v_f_f32m4(1.52527338e-5F, vl);
    for (const float coefficient : ExpSeries) {
        series = __riscv_vfmadd(series, fraction, __riscv_vfmv_v_f_f32m4(coefficient, vl), vl);
    }
    // In two steps, as 2^whole may be no normal number.
    const auto scale = [vl](Ints exponent) {
        return as_floats(as_bits(__riscv_vsll(__riscv_vadd(exponent, 127, vl), 23, vl)));
    };
    const Ints half = __riscv_vsra(whole, 1, vl);
    return __riscv_vfmul(__riscv_vfmul(series, scale(half), vl), scale(__riscv_vsub(whole, half, vl)), vl);
}

constexpr float Infinity = __builtin_inff();

// |x|^y where x or y is 0 or infinite: 0 or infinity, and 1 for x = 1.
Floats limit(Floats x, Floats y, size_t vl) {
    const Mask grows = __riscv_vmxor(__riscv_vmfgt(x, 1.0F, vl), __riscv_vmflt(y, 0.0F, vl), vl);
    const Floats value = __riscv_vfmerge(__riscv_vfmv_v_f_f32m4(0.0F, vl), Infinity, grows, vl);
    return __riscv_vfmerge(value, 1.0F, __riscv_vmfeq(x, 1.0F, vl), vl);
}

Floats power_of(Floats x, Floats y, size_t vl) {
    const Floats size = __riscv_vfabs(x, vl), y_size = __riscv_vfabs(y, vl);
    const Mask finite_y = __riscv_vmflt(y_size, Infinity, vl);
    Floats logarithm_low;
    const Floats logarithm = log2(size, logarithm_low, vl);
    const Floats high = __riscv_vfmul(y, logarithm, vl);
    Floats low = __riscv_vfmsac(high, y, logarithm, vl);
    low = __riscv_vfmacc(low, y, logarithm_low, vl);
    const Mask beyond = __riscv_vmfgt(__riscv_vfabs(high, vl), 160.0F, vl);
    low = __riscv_vfmerge(low, 0.0F, beyond, vl);
    Floats result = exp2(__riscv_vfmax(__riscv_vfmin(high, 160.0F, vl), -160.0F, vl), low, vl);

    const Mask infinite = __riscv_vmor(__riscv_vmfeq(size, Infinity, vl), __riscv_vmnot(finite_y, vl), vl);
    const Mask at_limit = __riscv_vmor(__riscv_vmfeq(size, 0.0F, vl), infinite, vl);
    result = __riscv_vmerge(result, limit(size, y, vl), at_limit, vl);

    // Whole numbers y; from 2^24 on all are even.
    const Ints whole = __riscv_vfcvt_x(y, vl);
    const Mask integral = __riscv_vmor(__riscv_vmfeq(__riscv_vfcvt_f(whole, vl), y, vl),
                                       __riscv_vmfge(y_size, 0x1p24F, vl), vl);
    const Mask odd = __riscv_vmand(__riscv_vmand(integral, __riscv_vmflt(y_size, 0x1p24F, vl), vl),
                                   __riscv_vmsne(__riscv_vand(whole, 1, vl), 0, vl), vl);
    const Mask negative = __riscv_vmslt(as_ints(as_bits(x)), 0, vl);
    result = __riscv_vmerge(result, __riscv_vfneg(result, vl), __riscv_vmand(negative, odd, vl), vl);

    // No real number; and NaN, but for y = 0 and x = 1.
    const float nan = __builtin_nanf("");
    const Mask finite_negative =
        __riscv_vmand(__riscv_vmflt(x, 0.0F, vl), __riscv_vmflt(size, Infinity, vl), vl);
    Mask none = __riscv_vmandn(finite_negative, integral, vl);
    none = __riscv_vmor(none, __riscv_vmor(__riscv_vmfne(x, x, vl), __riscv_vmfne(y, y, vl), vl), vl);
    result = __riscv_vfmerge(result, nan, none, vl);
    const Mask one = __riscv_vmor(__riscv_vmfeq(y, 0.0F, vl), __riscv_vmfeq(x, 1.0F, vl), vl);
    return __riscv_vfmerge(result, 1.0F, one, vl);
}

}  // namespace

void power(uint32_t* dst, Stream x, Stream y, size_t words) {
    for (;;) {
        const size_t vl = __riscv_vsetvl_e32m4(words);
        __riscv_vse32(dst, as_bits(power_of(load(x.words, vl), load(y.words, vl), vl)), vl);
        if (words <= GroupWords) return;
        words -= GroupWords;
        dst += GroupWords;
        if (x.step != 0) x.words += GroupWords;
        if (y.step != 0) y.words += GroupWords;
    }
}

}  // namespace trnsim::firmware
