// A real number of 200 bits (MPFR) with the operators that formulas need.
#pragma once

#include <mpfr.h>

namespace trnsim::activation {

class Real {
  public:
    static constexpr mpfr_prec_t Bits = 200;

    Real() { mpfr_init2(value_, Bits); }
    Real(double value) : Real() {
        mpfr_set_d(value_, value, MPFR_RNDN);
    }  // NOLINT(google-explicit-constructor)
    Real(const Real& other) : Real() { mpfr_set(value_, other.value_, MPFR_RNDN); }
    Real& operator=(const Real& other) {
        if (this != &other) mpfr_set(value_, other.value_, MPFR_RNDN);
        return *this;
    }
    ~Real() { mpfr_clear(value_); }

    mpfr_srcptr get() const { return value_; }
    long double to_long_double() const { return mpfr_get_ld(value_, MPFR_RNDN); }
    float to_float() const { return mpfr_get_flt(value_, MPFR_RNDN); }

    using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
    using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
    Real apply(Unary f) const {
        Real result;
        f(result.value_, value_, MPFR_RNDN);
        return result;
    }
    friend Real combine(Binary f, const Real& a, const Real& b) {
        Real result;
        f(result.value_, a.value_, b.value_, MPFR_RNDN);
        return result;
    }
    friend Real operator+(const Real& a, const Real& b) { return combine(mpfr_add, a, b); }
    friend Real operator-(const Real& a, const Real& b) { return combine(mpfr_sub, a, b); }
    friend Real operator*(const Real& a, const Real& b) { return combine(mpfr_mul, a, b); }
    friend Real operator/(const Real& a, const Real& b) { return combine(mpfr_div, a, b); }
    friend Real operator-(const Real& a) { return a.apply(mpfr_neg); }
    friend bool operator<(const Real& a, const Real& b) { return mpfr_less_p(a.value_, b.value_) != 0; }

  private:
    mpfr_t value_;
};

inline Real pi() {
    return Real(-1.0).apply(mpfr_acos);
}

}  // namespace trnsim::activation
