// Element formats and exact or correctly rounded conversion between them and fp32: the host's golden
// reference.
//
// Elements travel as their storage bits, right-aligned in 32 bits. tf32 is stored in four bytes laid out as
// fp32; the low 13 fraction bits are ignored when read and zero when written.
#pragma once

#include <cstdint>
#include <span>

#include "isa/isa_tables.hpp"

namespace trnsim::numerics {

using Format = isa::Dtype;

// A floating-point format: sign, exponent, fraction. The largest exponent field holds infinity and NaN in
// every format.
struct FloatFormat {
    int exponent_bits;
    int fraction_bits;
    int bias;
    int unused_low_bits;    // storage bits under the fraction
    bool flushes;           // subnormals read and are written as zero
    bool overflows_to_nan;  // a finite value beyond the largest becomes NaN, not infinity
};

struct IntegerFormat {
    int bits;
    bool is_signed;
};

bool is_float(Format format);
const FloatFormat& float_format(Format format);  // throws std::invalid_argument for an integer format
const IntegerFormat& integer_format(
    Format format);  // throws std::invalid_argument for a floating-point format
int storage_bytes(Format format);

inline constexpr std::uint32_t CanonicalNan = 0x7fc00000;

std::uint32_t bits_of(float value);
float float_of(std::uint32_t bits);

// Returns the value of an element in fp32: exact except for 32-bit integers, which round to nearest even.
// Subnormals of flushing formats read as zero of their sign; NaN reads as the canonical NaN.
float to_fp32(std::uint32_t bits, Format format);

// Converts fp32 to an element, nearest even. Floating point: a subnormal value reads as zero; overflow gives
// infinity or, in fp8_e4m3, NaN; infinity stays infinity; NaN is canonical. Integer: saturates, NaN gives 0.
std::uint32_t from_fp32(float value, Format format);

// Does the same for many elements, storage_bytes(format) each, to `out`; floating-point formats take few
// operations an element.
void from_fp32(std::span<const float> values, Format format, std::uint8_t* out);

// Does the same with stochastic rounding to the formats for which rounds_stochastically() holds; for others
// the draw has no effect. f = floor(2^32 * part), where `part` is the magnitude's part below the last place,
// in units of that place: the magnitude rounds up iff draw < f.
std::uint32_t from_fp32(float value, Format format, std::uint32_t draw);

// True for floating-point formats narrower than fp32: a write under stochastic rounding takes one draw an
// element.
bool rounds_stochastically(Format format);

// The two halves of an fp32 element; the tensor engine takes one of them a pass; high + low == value. Both
// carry the sign of the value, zeros included. low is zero where it would be subnormal. An infinity or NaN is
// all in high, low is then +0.
struct SplitFp32 {
    float high;
    float low;
};
SplitFp32 split_fp32(float value);

}  // namespace trnsim::numerics
