#include "arch/activation/generator/fit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace trnsim::activation {
namespace {

constexpr int Nodes = 10;
constexpr long double Pi = 3.14159265358979323846264338327950288L;

Real power_of_two(int exponent) {
    return Real(std::ldexp(1.0, exponent));
}

// Subnormal coefficients read as zero.
float coefficient(long double value) {
    const auto rounded = static_cast<float>(value);
    return std::fabs(rounded) < 0x1p-126f ? std::copysign(0.0f, rounded) : rounded;
}

// Chebyshev nodes: u in [-1, 1], t as the offset from the expansion point.
struct Grid {
    std::array<long double, Nodes> u;
    std::array<long double, Nodes> t;
    long double middle;
    long double half;
};

Grid make_grid(const Interval& interval, float x0) {
    Grid grid{};
    const long double low = static_cast<long double>(interval.low) - x0;
    const long double high = static_cast<long double>(interval.high) - x0;
    grid.middle = (low + high) / 2;
    grid.half = (high - low) / 2;
    for (int k = 0; k < Nodes; ++k) {
        grid.u[k] = std::cos(Pi * (2 * k + 1) / (2 * Nodes));
        grid.t[k] = grid.middle + grid.half * grid.u[k];
        if (std::fabs(grid.t[k]) < grid.half * 1e-6L) grid.t[k] = grid.half * 1e-6L;
    }
    return grid;
}

// Returns the leading coefficient, in t, of the polynomial of a degree that is closest to the values at the
// nodes.
long double leading(const Grid& grid, const std::array<long double, Nodes>& values, int degree) {
    long double sum = 0;
    for (int k = 0; k < Nodes; ++k) sum += values[k] * std::cos(degree * Pi * (2 * k + 1) / (2 * Nodes));
    const long double chebyshev = sum * (degree == 0 ? 1.0L : 2.0L) / Nodes;
    // The leading term of T_n(u) is 2^(n-1) u^n, that of u is t / half.
    if (degree == 0) return chebyshev;
    return chebyshev * std::pow(2.0L, degree - 1) / std::pow(grid.half, static_cast<long double>(degree));
}

double units(double computed, long double exact) {
    const int exponent = std::max(std::ilogb(static_cast<double>(exact)), -126);
    return static_cast<double>(std::fabs(computed - exact) / std::ldexp(1.0L, exponent - 23));
}

float evaluate(const Row& row, int degree, float z) {
    const float t = z - std::bit_cast<float>(row.x0);
    float value = std::bit_cast<float>(row.c[degree]);
    for (int k = degree - 1; k >= 0; --k) value = std::fma(value, t, std::bit_cast<float>(row.c[k]));
    return value;
}

// Operands of an interval that starts at zero are tried over many binades.
std::vector<float> samples(const Interval& interval) {
    std::vector<float> list;
    constexpr int Count = 40;
    for (int k = 0; k <= Count; ++k) {
        const float share = static_cast<float>(k) / Count;
        list.push_back(interval.low + (interval.high - interval.low) * share);
    }
    list.back() = std::nextafter(interval.high, interval.low);
    list.front() = std::nextafter(interval.low, interval.high);
    const float edge = interval.low == 0 ? interval.high : interval.low;
    if (interval.low == 0 || interval.high == 0) {
        for (int k = 1; k < 40; ++k)
            list.push_back(edge * std::ldexp(1.0f + 0.02f * static_cast<float>(k), -k));
    }
    return list;
}

}  // namespace

Fit fit_about(const Definition& f, const Interval& interval, float x0) {
    const Real unscale = power_of_two(-interval.scale);
    const Grid grid = make_grid(interval, x0);
    const Real origin = f.value(Real(x0)) * unscale;
    // The coefficients above the constant one are those of the quotient (f(x0 + t) - f(x0)) / t.
    std::array<long double, Nodes> quotient{};
    for (int k = 0; k < Nodes; ++k) {
        Real z = Real(x0) + Real(static_cast<double>(grid.t[k]));
        quotient[k] = (f.value(z) * unscale - origin).to_long_double() / static_cast<double>(grid.t[k]);
    }
    Fit fit{};
    fit.row.x0 = std::bit_cast<std::uint32_t>(x0);
    float constant = coefficient(origin.to_long_double());
    if (x0 == 0) constant = std::signbit(interval.low + interval.high) ? f.at_minus_zero : f.at_plus_zero;
    fit.row.c[0] = std::bit_cast<std::uint32_t>(constant);
    for (int degree = f.degree - 1; degree >= 0; --degree) {
        const float top = coefficient(leading(grid, quotient, degree));
        fit.row.c[degree + 1] = std::bit_cast<std::uint32_t>(top);
        for (int k = 0; k < Nodes; ++k)
            quotient[k] -= top * std::pow(grid.t[k], static_cast<long double>(degree));
    }
    for (const float z : samples(interval)) {
        const long double exact = (f.value(Real(z)) * unscale).to_long_double();
        // Results that are flushed or overflow anyway do not count.
        if (std::fabs(std::ldexp(exact, interval.scale)) < 0x1p-126L) continue;
        if (std::fabs(std::ldexp(exact, interval.scale)) >= 0x1p128L) continue;
        const double error = units(evaluate(fit.row, f.degree, z), exact);
        fit.error = error <= fit.error ? fit.error : error;
    }
    return fit;
}

Fit fit_inside(const Definition& f, const Interval& interval) {
    const Real unscale = power_of_two(-interval.scale);
    const float width = interval.high - interval.low;
    float best = interval.low + width / 2;
    double best_error = 1;
    for (int k = 0; k < 40 && best_error > 0.02; ++k) {
        const float share = 0.5f + 0.005f * static_cast<float>(k % 2 == 0 ? k / 2 : -(k + 1) / 2);
        const float candidate = interval.low + width * share;
        const long double exact = (f.value(Real(candidate)) * unscale).to_long_double();
        const double error = units(coefficient(exact), exact);
        if (error < best_error) {
            best_error = error;
            best = candidate;
        }
    }
    return fit_about(f, interval, best);
}

bool vanishes(const Definition& f, const Interval& interval) {
    for (int k = 0; k <= 8; ++k) {
        const float z = interval.low + (interval.high - interval.low) * (static_cast<float>(k) / 8);
        if (!(f.value(Real(z)).apply(mpfr_abs) < Real(0x1p-127))) return false;
    }
    return true;
}

}  // namespace trnsim::activation
