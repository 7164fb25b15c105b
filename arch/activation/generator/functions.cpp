#include "arch/activation/generator/functions.hpp"

#include <limits>

namespace trnsim::activation {
namespace {

constexpr float Inf = std::numeric_limits<float>::infinity();
constexpr float Nan = std::numeric_limits<float>::quiet_NaN();
constexpr float HalfPi = 0x1.921fb6p0f;

Real exponential(const Real& z) {
    return z.apply(mpfr_exp);
}
Real sigmoid(const Real& z) {
    return Real(1) / (Real(1) + exponential(-z));
}
Real tangent(const Real& z) {
    return z.apply(mpfr_tanh);
}
Real softplus(const Real& z) {
    return exponential(z).apply(mpfr_log1p);
}
Real silu(const Real& z) {
    return z * sigmoid(z);
}
Real silu_dx(const Real& z) {
    return sigmoid(z) * (Real(1) + z * sigmoid(-z));
}
Real mish(const Real& z) {
    return z * tangent(softplus(z));
}
Real error(const Real& z) {
    return z.apply(mpfr_erf);
}
Real error_dx(const Real& z) {
    return Real(2) / pi().apply(mpfr_sqrt) * exponential(-(z * z));
}
// Distribution and density of the standard normal distribution.
Real normal(const Real& z) {
    return (-z / Real(2).apply(mpfr_sqrt)).apply(mpfr_erfc) / Real(2);
}
Real density(const Real& z) {
    return exponential(-(z * z) / Real(2)) / (Real(2) * pi()).apply(mpfr_sqrt);
}
Real gelu(const Real& z) {
    return z * normal(z);
}
Real gelu_dx(const Real& z) {
    return normal(z) + z * density(z);
}
// Returns numerator / denominator: the constants are the decimal numbers of the public definitions.
Real decimal(int numerator, int denominator) {
    return Real(numerator) / Real(denominator);
}
Real gelu_tanh(const Real& z) {
    const Real inner = (Real(2) / pi()).apply(mpfr_sqrt) * (z + decimal(44715, 1000000) * z * z * z);
    return z * sigmoid(Real(2) * inner);
}
Real gelu_sigmoid(const Real& z) {
    return z * sigmoid(decimal(1702, 1000) * z);
}
Real gelu_sigmoid_dx(const Real& z) {
    return silu_dx(decimal(1702, 1000) * z);
}
Real logarithm(const Real& z) {
    return z.apply(mpfr_log);
}
Real sine(const Real& z) {
    return z.apply(mpfr_sin);
}
Real arctangent(const Real& z) {
    return z.apply(mpfr_atan);
}
Real root(const Real& z) {
    return z.apply(mpfr_sqrt);
}
Real reciprocal(const Real& z) {
    return Real(1) / z;
}
Real reciprocal_root(const Real& z) {
    return Real(1) / root(z);
}

// The zero of a function that changes sign between two operands.
Real zero_between(Real (*f)(const Real&), double low, double high) {
    Real below = low;
    Real above = high;
    const bool rising = f(below) < Real(0);
    for (int step = 0; step < 120; ++step) {
        const Real middle = (below + above) / Real(2);
        if ((f(middle) < Real(0)) == rising) {
            below = middle;
        } else {
            above = middle;
        }
    }
    return below;
}

using A = isa::Activation;

std::vector<Definition> make_definitions() {
    const int all = 255;
    const float ln2 = Real(2).apply(mpfr_log).to_float();
    const float peak = error_dx(Real(0)).to_float();
    return {
        {A::Sigmoid, Mode::Direct, 4, sigmoid, 1, 0, 0.5f, 0.5f, all, {}},
        {A::Gelu, Mode::Direct, 4, gelu, Inf, -0.0f, 0.0f, -0.0f, all, {}},
        {A::GeluDx, Mode::Direct, 4, gelu_dx, 1, -0.0f, 0.5f, 0.5f, all, {zero_between(gelu_dx, -1, -0.5)}},
        {A::GeluApprxTanh, Mode::Direct, 4, gelu_tanh, Inf, -0.0f, 0.0f, -0.0f, all, {}},
        {A::GeluApprxSigmoid, Mode::Direct, 4, gelu_sigmoid, Inf, -0.0f, 0.0f, -0.0f, all, {}},
        {A::Silu, Mode::Direct, 4, silu, Inf, -0.0f, 0.0f, -0.0f, all, {}},
        {A::SiluDx, Mode::Direct, 4, silu_dx, 1, -0.0f, 0.5f, 0.5f, all, {zero_between(silu_dx, -2, -1)}},
        {A::Tanh, Mode::Direct, 4, tangent, 1, -1, 0.0f, -0.0f, all, {}},
        {A::Softplus, Mode::Direct, 4, softplus, Inf, 0, ln2, ln2, all, {}},
        {A::Mish, Mode::Direct, 4, mish, Inf, -0.0f, 0.0f, -0.0f, all, {}},
        {A::Erf, Mode::Direct, 4, error, 1, -1, 0.0f, -0.0f, all, {}},
        {A::ErfDx, Mode::Direct, 4, error_dx, 0, 0, peak, peak, all, {}},
        {A::Exp, Mode::Direct, 3, exponential, Inf, 0, 1, 1, all, {}},
        {A::Log, Mode::Log, 4, logarithm, Inf, Nan, -Inf, -Inf, all, {Real(1)}},
        {A::Sin,
         Mode::Direct,
         5,
         sine,
         Nan,
         Nan,
         0.0f,
         -0.0f,
         130,
         {pi(), Real(2) * pi(), -pi(), -(Real(2) * pi())}},
        {A::Arctan, Mode::Direct, 5, arctangent, HalfPi, -HalfPi, 0.0f, -0.0f, all, {}},
        {A::Sqrt, Mode::Sqrt, 4, root, Inf, Nan, 0.0f, -0.0f, all, {}},
        {A::Rsqrt, Mode::Rsqrt, 4, reciprocal_root, 0, Nan, Inf, -Inf, all, {}},
        {A::Reciprocal, Mode::Reciprocal, 4, reciprocal, 0.0f, -0.0f, Inf, -Inf, all, {}},
        {A::GeluApprxSigmoidDx,
         Mode::Direct,
         4,
         gelu_sigmoid_dx,
         1,
         -0.0f,
         0.5f,
         0.5f,
         all,
         {zero_between(gelu_sigmoid_dx, -1, -0.5)}},
    };
}

using S = isa::ActivationSet;

}  // namespace

std::span<const Definition> definitions() {
    static const std::vector<Definition> list = make_definitions();
    return list;
}

std::span<const SetDefinition> set_definitions() {
    static const std::vector<SetDefinition> list{
        {S::NaturalLogExpAndOthers,
         {A::Exp, A::Log, A::Sigmoid, A::Tanh, A::Softplus, A::Mish, A::Silu, A::SiluDx}},
        {S::ReciprocalSqrtAndSmall, {A::Reciprocal, A::Sqrt, A::Rsqrt}},
        {S::ReciprocalAndSmall, {A::Reciprocal, A::Exp}},
        {S::GeluAndOthers,
         {A::Gelu, A::GeluDx, A::GeluApprxTanh, A::GeluApprxSigmoid, A::GeluApprxSigmoidDx, A::Erf, A::ErfDx,
          A::Tanh, A::Exp}},
        {S::SiluAndOthers, {A::Silu, A::SiluDx, A::Sigmoid, A::Tanh, A::Softplus, A::Mish, A::Exp}},
        {S::TrigonometricAndOthers, {A::Sin, A::Arctan, A::Tanh, A::Exp}},
    };
    return list;
}

}  // namespace trnsim::activation
