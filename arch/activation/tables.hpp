// The tables of the Scalar engine's activation functions, from tables.txt; docs/activation-functions.md says
// how they are used.
#pragma once

#include <cstdint>
#include <span>

namespace trnsim::activation {

inline constexpr int MaxDegree = 5;

// The treatment of the exponent of a positive normal operand (reciprocal: of any normal one) before and after
// the polynomial.
enum class Mode : std::uint8_t { Direct, Log, Reciprocal, Sqrt, Rsqrt };

// One function of the tables. Functions without a table have degree 0.
struct Function {
    Mode mode;
    int degree;
};

// The rows for the operands of one sign and exponent field: row base + (fraction >> shift); 2^scale
// multiplies the polynomial.
struct Segment {
    std::uint16_t base;
    std::uint8_t shift;
    std::int8_t scale;
};

// fp32 bits of the expansion point and of the coefficients; c[0] is the constant one.
struct Row {
    std::uint32_t x0;
    std::uint32_t c[MaxDegree + 1];
};

inline constexpr int FunctionCount = 32;  // codes of isa::Activation
inline constexpr int SetCount = 8;        // codes of isa::ActivationSet

const Function& function(unsigned code);
std::span<const Segment> segments();  // [code * 512 + sign and exponent field]
std::span<const Row> rows();
std::span<const std::uint32_t> exponent_low();  // exponent field e: (e - 127) * ln 2 is high + low
std::span<const std::uint32_t> exponent_high();
std::uint32_t set_functions(unsigned set);  // bit mask of function codes

}  // namespace trnsim::activation
