// Writes docs/activation-functions.md: trnsim_activation_document <random operands a function> >
// docs/activation-functions.md
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>

#include "arch/activation/activation.hpp"
#include "arch/activation/generator/accuracy.hpp"

namespace trnsim::activation {
namespace {

constexpr std::uint64_t Seed = 20260101;

const char* const Head = R"(# Activation functions

Written by `trnsim_activation_document` (a target of the build); errors are measured against MPFR, over all bf16 operands and
{} random fp32 operands a function.

## How a function is computed

Operand z, fp32, subnormals read as zero. NaN gives NaN. `arch/activation/tables.txt` holds the tables,
`trnsim_activation_generate` makes them; `arch/activation/activation.cpp` is this page in C++, `rtl/scalar` in hardware.

1. Reduce: *direct* functions leave z as it is. The others take the exponent e out of a normal z (and leave zeros, infinities,
   NaN as they are; all but reciprocal also negative z): *log* m in [0.75, 1.5), *reciprocal* m in ±[1, 2), *sqrt* and *rsqrt* m in [1, 4) and e even.
2. Look up: sign and exponent field select a segment {{base, shift, scale}}; row = base + (fraction >> shift).
3. t = z - x0, rounded (it is exact); t is zero, of the sign of z, when z is infinite.
4. Horner: v = c[degree]; v = fma(v, t, c[k]) for k = degree - 1 down to 0, each rounded once.
5. *log*: v = (v + low(e)) + high(e), where low + high = e ln 2.
6. v times 2^scale, and 2^-e (*reciprocal*), 2^(e/2) (*sqrt*), 2^(-e/2) (*rsqrt*): exact, but overflow gives infinity, results below 2^-126 zero of their sign.

## Functions

ulp: units in the last place of the exact result. Results are relative to that down to the flush: the tails of exp, sigmoid, gelu and their
like, and the surroundings of their zeros, are as accurate as the rest. Next to 2^-126 a result may flush or not.

| function | form | degree | rows | valid operands | largest error, ulp | elsewhere | at -inf, -0, +0, +inf |
|---|---|---|---|---|---|---|---|
)";

const char* const ModeNames[] = {"direct", "log", "reciprocal", "sqrt", "rsqrt"};

std::string number(float value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    if (value == 0) return std::signbit(value) ? "-0" : "+0";
    return fmt::format("{:.9g}", value);
}

std::string valid(const Definition& f) {
    if (f.function == isa::Activation::Sin) return "abs(z) < 8";
    if (f.mode == Mode::Direct || f.mode == Mode::Reciprocal) return "all";
    return "z ≥ 0";
}

std::string elsewhere(const Definition& f) {
    return valid(f) == "all" ? "" : "NaN";
}

std::size_t row_count(const Definition& f) {
    std::set<std::size_t> bases;
    const std::size_t code = static_cast<std::size_t>(f.function);
    std::size_t count = 0;
    for (const Segment& segment : segments().subspan(code * 512, 512)) {
        if (bases.insert(segment.base).second) count += std::size_t{1} << (23 - segment.shift);
    }
    return count;
}

void document(std::uint64_t count) {
    fmt::print(fmt::runtime(Head), count);
    for (const Definition& f : definitions()) {
        Worst worst = error_over_bf16(f);
        worst.take(error_over_random(f, count, Seed));
        fmt::print("| {} | {} | {} | {} | {} | {:.2f} | {} | {}, {}, {}, {} |\n", isa::name_of(f.function),
                   ModeNames[static_cast<int>(f.mode)], f.degree, row_count(f), valid(f), worst.units,
                   elsewhere(f), number(f.at_minus_infinity), number(f.at_minus_zero), number(f.at_plus_zero),
                   number(f.at_plus_infinity));
        fmt::print(stderr, "{} {:.3f} ulp, {} wrong, at {:08x}\n", isa::name_of(f.function), worst.units,
                   worst.mismatches, worst.operand);
    }
    fmt::print(
        "\n`copy`, `square`, `relu`, `abs`, `sign`, `prelu` need no table: "
        "[instruction-semantics.md](instruction-semantics.md).\n");
    fmt::print(
        "\nThe public reference states narrower ranges (log [2^-64, 2^64], sin [-pi, pi], arctan [-pi/2, "
        "pi/2], sqrt [2^-116, 2^118], "
        "rsqrt [2^-87, 2^97],\nreciprocal ±[2^-42, 2^42]) and undefined results outside; here the ranges are "
        "those of the table above.\n");
    fmt::print(
        "\n## Table sets\n\nA function is available while a set that has it is loaded (`act_table_load`). "
        "Functions without a table always are.\n\n"
        "| set | code | functions |\n|---|---|---|\n");
    for (const SetDefinition& set : set_definitions()) {
        fmt::print("| {} | {} |", isa::name_of(set.set), static_cast<unsigned>(set.set));
        for (std::size_t k = 0; k < set.functions.size(); ++k)
            fmt::print("{} {}", k ? "," : "", isa::name_of(set.functions[k]));
        fmt::print(" |\n");
    }
}

}  // namespace
}  // namespace trnsim::activation

int main(int argc, char** argv) {
    trnsim::activation::document(argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 1'000'000);
    return 0;
}
