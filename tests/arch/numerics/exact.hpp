// Implements the numeric contract a second time, on MPFR: every operation is exact or rounded by MPFR, and
// flushing is spelled out.
#pragma once

#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace trnsim::test {

inline float canonical_nan() {
    return std::bit_cast<float>(0x7fc00000u);
}

class Exact {
  public:
    explicit Exact(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
    ~Exact() { mpfr_clear(value_); }
    Exact(const Exact&) = delete;
    Exact& operator=(const Exact&) = delete;
    mpfr_ptr get() { return value_; }

    // A subnormal value is read as a zero of the same sign.
    void set_flushed(float value) {
        mpfr_set_flt(value_, std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value,
                     MPFR_RNDN);
    }

    // Converts a result of 24 bits and unbounded exponent to fp32: beyond the largest value it is infinity,
    // below the least normal value zero.
    float to_fp32() {
        if (mpfr_nan_p(value_)) return canonical_nan();
        const float sign = mpfr_signbit(value_) ? -1.0f : 1.0f;
        if (mpfr_inf_p(value_)) return sign * std::numeric_limits<float>::infinity();
        if (mpfr_zero_p(value_)) return sign * 0.0f;
        const mpfr_exp_t exponent = mpfr_get_exp(value_);  // magnitude in [2^(exponent-1), 2^exponent)
        if (exponent > 128) return sign * std::numeric_limits<float>::infinity();
        if (exponent < -125) return sign * 0.0f;
        return mpfr_get_flt(value_, MPFR_RNDN);
    }

  private:
    mpfr_t value_;
};

inline float exact_fma(float a, float b, float c) {
    static Exact x(24), y(24), z(24), r(24);
    x.set_flushed(a);
    y.set_flushed(b);
    z.set_flushed(c);
    mpfr_fma(r.get(), x.get(), y.get(), z.get(), MPFR_RNDN);
    return r.to_fp32();
}

inline float exact_add(float a, float b) {
    static Exact x(24), y(24), r(24);
    x.set_flushed(a);
    y.set_flushed(b);
    mpfr_add(r.get(), x.get(), y.get(), MPFR_RNDN);
    return r.to_fp32();
}

inline float exact_multiply(float a, float b) {
    static Exact x(24), y(24), r(24);
    x.set_flushed(a);
    y.set_flushed(b);
    mpfr_mul(r.get(), x.get(), y.get(), MPFR_RNDN);
    return r.to_fp32();
}

inline float exact_reciprocal(float a) {
    static Exact one(24), x(24), r(24);
    one.set_flushed(1.0f);
    x.set_flushed(a);
    mpfr_div(r.get(), one.get(), x.get(), MPFR_RNDN);
    return r.to_fp32();
}

}  // namespace trnsim::test
