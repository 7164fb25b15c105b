// Writes tables.txt: trnsim_activation_generate > arch/activation/tables.txt
//
// Each function, sign and exponent of the operand gets the fewest rows, a power of two, whose polynomials
// stay within Target units of the last place.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <optional>

#include "arch/activation/generator/fit.hpp"

namespace trnsim::activation {
namespace {

constexpr double Target = 1.25;
// The limit about zero, where the first coefficient's own rounding counts as well.
constexpr double SmallTarget = 1.8;
constexpr int MaxBits = 10;
constexpr int Bias = 127;

const char* const ModeNames[] = {"direct", "log", "reciprocal", "sqrt", "rsqrt"};

// Rows that serve every exponent field from first to last.
struct Range {
    int first;
    int last;
    int bits;
    int scale;
    std::vector<Row> rows;
};

Row constant_row(float value) {
    Row row{};
    row.c[0] = std::bit_cast<std::uint32_t>(value);
    return row;
}

Row identity_row(float zero) {
    Row row = constant_row(zero);
    row.c[1] = std::bit_cast<std::uint32_t>(1.0f);
    return row;
}

float operand(int field, double mantissa, float sign) {
    return sign * static_cast<float>(std::ldexp(mantissa, field - Bias));
}

// Binades

int choose_scale(const Definition& f, int field, float sign) {
    double low = 1e9;
    double high = -1e9;
    for (int k = 0; k < 16; ++k) {
        const Real value = f.value(Real(operand(field, 1 + k / 16.0, sign)));
        if (value.apply(mpfr_abs) < Real(0x1p-140)) continue;
        const double exponent = std::log2(std::fabs(static_cast<double>(value.to_long_double())));
        low = std::min(low, exponent);
        high = std::max(high, exponent);
    }
    return low < -80 ? -64 : high > 90 ? 64 : 0;
}

Fit fit_segment(const Definition& f, const Interval& interval) {
    if (vanishes(f, interval))
        return {constant_row(interval.low < 0 ? f.at_minus_infinity : f.at_plus_infinity), 0};
    // The least operand of a reduced range is expanded about itself, so that powers of two come out exact.
    if (f.mode != Mode::Direct && f.mode != Mode::Log &&
        std::fabs(std::min(std::fabs(interval.low), std::fabs(interval.high))) == 1.0f) {
        return fit_about(f, interval, interval.low < 0 ? -1.0f : 1.0f);
    }
    Fit best = fit_inside(f, interval);
    for (const Real& zero : f.zeros) {
        const float x0 = zero.to_float();
        const float nearest = std::clamp(x0, interval.low, interval.high);
        // z - x0 is exact where each is at most twice the other.
        const bool exact = x0 / 2 <= std::max(interval.low, interval.high) && x0 > 0
                               ? interval.high <= 2 * x0 && interval.low >= x0 / 2
                               : x0 < 0 && interval.low >= 2 * x0 && interval.high <= x0 / 2;
        if (!exact) continue;
        const Fit about_zero = fit_about(f, interval, x0);
        if (nearest == x0 || about_zero.error < best.error) best = about_zero;
    }
    return best;
}

std::optional<Range> fit_binade(const Definition& f, int field, float sign, int bits) {
    Range range{field, field, bits, choose_scale(f, field, sign), {}};
    const int count = 1 << bits;
    for (int k = 0; k < count; ++k) {
        const float a = operand(field, 1 + static_cast<double>(k) / count, sign);
        const float b = operand(field, 1 + static_cast<double>(k + 1) / count, sign);
        const Fit fit = fit_segment(f, {std::min(a, b), std::max(a, b), range.scale});
        if (!(fit.error <= Target)) return std::nullopt;
        range.rows.push_back(fit.row);
    }
    return range;
}

Range fit_binade(const Definition& f, int field, float sign) {
    for (int bits = 0; bits <= MaxBits; ++bits) {
        if (auto range = fit_binade(f, field, sign, bits)) return *range;
    }
    fmt::print(stderr, "{}: no rows for exponent field {} sign {}\n", isa::name_of(f.function), field, sign);
    std::exit(1);
}

// Ends of the axis

// Returns the range up to the largest field, at most `most`, for which one expansion about zero is enough.
Range fit_small(const Definition& f, float sign, int most) {
    for (int field = most;; --field) {
        const float edge = operand(field + 1, 1, sign);
        const Fit fit = fit_about(f, {std::min(edge, 0.0f), std::max(edge, 0.0f), 0}, 0);
        if (fit.error <= SmallTarget) return {0, field, 0, 0, {fit.row}};
    }
}

// Returns the row for every operand from a field on, if one is close enough: the limit or the operand itself.
std::optional<Row> large_row(const Definition& f, int field, float sign) {
    const Real z = operand(field, 1, sign);
    const Real value = f.value(z);
    const float limit = sign > 0 ? f.at_plus_infinity : f.at_minus_infinity;
    if (std::isinf(limit)) {
        if (Real(0x1p130) < value && Real(0x1p20) * z < value) return constant_row(limit);
        const Real difference = (value / z - Real(1)).apply(mpfr_abs);
        if (difference < Real(0x1p-30)) return identity_row(std::copysign(0.0f, sign));
        return std::nullopt;
    }
    if (limit == 0) {
        if (value.apply(mpfr_abs) < Real(0x1p-128)) return constant_row(limit);
        return std::nullopt;
    }
    const Real difference = ((value - Real(limit)) / Real(limit)).apply(mpfr_abs);
    const Real least = Real(static_cast<double>(f.at_plus_infinity == 1 ? 0x1p-30 : 0x1p-24));
    if (difference < least && difference < Real(0x1p-24)) {
        // A limit that is no fp32 number has a rounding error; the function must not change any more far out.
        const Real further = f.value(Real(0x1p40) * z);
        if (((value - further) / Real(limit)).apply(mpfr_abs) < Real(0x1p-30)) return constant_row(limit);
    }
    return std::nullopt;
}

std::vector<Range> direct_ranges(const Definition& f, float sign) {
    const float infinite = sign > 0 ? f.at_plus_infinity : f.at_minus_infinity;
    std::vector<Range> ranges;
    std::vector<Range> high;
    int last = std::min(f.first_undefined_field, 255) - 1;
    high.push_back({last + 1, 255, 0, 0, {constant_row(infinite)}});
    if (f.first_undefined_field == 255) {
        std::optional<Row> row;
        int first = 255;
        while (auto next = large_row(f, first - 1, sign)) {
            row = next;
            --first;
        }
        if (row) {
            high.push_back({first, 254, 0, 0, {*row}});
            last = first - 1;
        }
    }
    ranges.push_back(fit_small(f, sign, std::min(last, Bias - 1)));
    for (int field = ranges.front().last + 1; field <= last; ++field)
        ranges.push_back(fit_binade(f, field, sign));
    ranges.insert(ranges.end(), high.rbegin(), high.rend());
    return ranges;
}

// Reduced operands lie in few binades; an operand that is not reduced has a constant result.
std::vector<Range> reduced_ranges(const Definition& f, float sign) {
    const float zero = sign > 0 ? f.at_plus_zero : f.at_minus_zero;
    const float infinite = sign > 0 ? f.at_plus_infinity : f.at_minus_infinity;
    const bool defined = sign > 0 || f.mode == Mode::Reciprocal;
    if (!defined) return {{0, 0, 0, 0, {constant_row(zero)}}, {1, 255, 0, 0, {constant_row(infinite)}}};
    const int first = f.mode == Mode::Log ? Bias - 1 : Bias;
    const int last = f.mode == Mode::Sqrt || f.mode == Mode::Rsqrt ? Bias + 1 : Bias;
    std::vector<Range> ranges{{0, first - 1, 0, 0, {constant_row(zero)}}};
    for (int field = first; field <= last; ++field) ranges.push_back(fit_binade(f, field, sign));
    ranges.push_back({last + 1, 255, 0, 0, {constant_row(infinite)}});
    return ranges;
}

// Output

void print(const Definition& f) {
    fmt::print("function {} {} {}\n", isa::name_of(f.function), ModeNames[static_cast<int>(f.mode)],
               f.degree);
    std::size_t total = 0;
    for (const float sign : {1.0f, -1.0f}) {
        for (const Range& range : f.mode == Mode::Direct ? direct_ranges(f, sign) : reduced_ranges(f, sign)) {
            fmt::print("range {} {} {} {} {}\n", sign > 0 ? '+' : '-', range.first, range.last, range.bits,
                       range.scale);
            total += range.rows.size();
            for (const Row& row : range.rows) {
                fmt::print("{:08x}", row.x0);
                for (int k = 0; k <= f.degree; ++k) fmt::print(" {:08x}", row.c[k]);
                fmt::print("\n");
            }
        }
    }
    fmt::print(stderr, "{}: {} rows\n", isa::name_of(f.function), total);
}

void print_exponents() {
    const Real ln2 = Real(2).apply(mpfr_log);
    fmt::print("exponents\n");
    for (int field = 0; field < 256; ++field) {
        const Real value = Real(field - Bias) * ln2;
        const float high = value.to_float();
        const float low = (value - Real(high)).to_float();
        fmt::print("{:08x} {:08x}\n", std::bit_cast<std::uint32_t>(high), std::bit_cast<std::uint32_t>(low));
    }
}

void print_sets() {
    for (const SetDefinition& set : set_definitions()) {
        fmt::print("set {}", isa::name_of(set.set));
        for (const isa::Activation function : set.functions) fmt::print(" {}", isa::name_of(function));
        fmt::print("\n");
    }
}

}  // namespace
}  // namespace trnsim::activation

int main() {
    using namespace trnsim::activation;
    fmt::print(
        "# Tables of the activation functions, written by trnsim_activation_generate; "
        "docs/activation-functions.md explains them.\n");
    print_sets();
    print_exponents();
    for (const Definition& f : definitions()) print(f);
    return 0;
}
