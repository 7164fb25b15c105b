// Conversions between elements and the 32-bit numbers that operations work on, as loops over words.
//
// Integers are extended to 32 bits by their type. A float is fp32; from bf16 exactly, to bf16 to the nearest even. From float to
// integer: nearest even, saturating, NaN gives 0.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "trnsim/dtype.hpp"

namespace trnsim::firmware {

// `to` may be `from`.
using Convert = void (*)(uint32_t* to, const uint32_t* from, size_t words);

// What an element becomes, and what becomes an element; null where the word stays as it is.
struct Conversions {
    // Of the upper end of a word.
    Convert to_bits;  // zero-extended
    Convert to_integer;
    Convert to_float;
    // To the lower end of a word, whose other bits do not count.
    Convert from_float;
    Convert from_signed;
    Convert from_unsigned;
};

// `dtype` is one that is supported.
const Conversions& conversions(Dtype dtype);

}  // namespace trnsim::firmware
