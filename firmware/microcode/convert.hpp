// Conversions between elements and the 32-bit numbers that operations work on, as loops over words.
//
// Integers are extended to 32 bits by their type. A float is fp32: bf16 converts to it exactly, and it rounds
// to bf16 to nearest even. Float to integer rounds to nearest even and saturates; NaN gives 0.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "trnsim/dtype.hpp"

namespace trnsim::firmware {

// Converts `groups` groups of `words` words each; only a single group may be a part of one. `to` may be equal to
// `from`.
using Convert = void (*)(uint32_t* to, const uint32_t* from, size_t groups, size_t words);

// Converts `words` words.
void convert(Convert conversion, uint32_t* to, const uint32_t* from, size_t words);

// Rounds columns of fp32 to bf16 and puts each two neighbours into a word; `words` is that of the columns of fp32.
void pack_bf16(uint32_t* to, const uint32_t* from, size_t words);

// The conversions from and to an element; null where the word stays unchanged.
struct Conversions {
    // These read the upper end of a word.
    Convert to_bits;  // zero-extended
    Convert to_integer;
    Convert to_float;
    // These write the lower end of a word; the other bits are undefined.
    Convert from_float;
    Convert from_signed;
    Convert from_unsigned;
};

// `dtype` must be supported.
const Conversions& conversions(Dtype dtype);

}  // namespace trnsim::firmware
