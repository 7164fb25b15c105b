// Floating-point types of elements, to and from double.
#pragma once

#include <cstdint>

#include "compiler/hlo/element_type.hpp"

namespace trnsim::hlo {

// How a type spends the codes that IEEE 754 gives to infinities and NaNs.
enum class Specials : std::uint8_t {
    Ieee,      // infinities and NaNs
    OneNan,    // "fn": the largest code of each sign is NaN, no infinity
    NegZero,   // "fnuz": the code of -0 is NaN, no infinity, no -0
    Saturate,  // neither: what is too large becomes the largest number
    Exponent,  // an unsigned exponent alone; the largest code is NaN
};

struct RealFormat {
    ElementType type;
    int exponent_bits, mantissa_bits, bias;
    Specials specials;
};

// The format of a real type.
const RealFormat& real_format(ElementType type);

// Returns the number that a code stands for. Every type's numbers are doubles.
double decode_real(ElementType type, std::uint64_t code);
// Returns the code of the nearest number, ties to even. Beyond the largest number lie infinity, or NaN where there is none.
std::uint64_t encode_real(ElementType type, double value);
double rounded(ElementType type, double value);

}  // namespace trnsim::hlo
