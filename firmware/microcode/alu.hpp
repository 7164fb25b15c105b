// ALU operations, each as a loop over contiguous columns.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "trnsim/microcode.hpp"

namespace trnsim::firmware {

// An operand: contiguous columns, or one group of columns that is used for all.
struct Stream {
    const uint32_t* words;
    uint32_t step;  // words from a group to the next, GroupWords or 0
};

// Computes dst = a op b for `groups` groups of `words` lanes each; only a single group may be a part of one.
// dst may be a or b.
using AluLoop = void (*)(uint32_t* dst, Stream a, Stream b, size_t groups, size_t words);

// Runs the loop for `words` lanes, by groups of so many.
void run(AluLoop loop, size_t group, uint32_t* dst, Stream a, Stream b, size_t words);

// Returns null where there is no such operation. Integers are modulo 2^32 and U32 differs only in the order;
// shifts are logical, and amounts of 32 or more give 0. Floats are IEEE 754, rounded to nearest even. Tests
// give 1 or 0.
AluLoop signed_loop(AluOp op);
AluLoop unsigned_loop(AluOp op);
AluLoop float_loop(AluOp op);

// Operations on words with two bf16 elements each, by half groups; a `b` that does not step has fp32 numbers, one
// for both elements.
AluLoop pair_loop(AluOp op);

// Computes x^y as C defines it, within 2 units in the last place.
void power(uint32_t* dst, Stream x, Stream y, size_t groups, size_t words);

}  // namespace trnsim::firmware
