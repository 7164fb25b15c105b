// ALU operations on columns.
#pragma once

#include "firmware/microcode/columns.hpp"

namespace trnsim::firmware {

// Whether the operation exists; on integers, on floats.
bool has_integer(AluOp op);
bool has_float(AluOp op);

// Modulo 2^32. `is_unsigned` decides about order alone; shifts are logical, and amounts of 32 or more give 0.
Ints alu(AluOp op, Ints a, Ints b, bool is_unsigned, size_t vl);

// IEEE 754, to the nearest even. Tests give 1 or 0.
Floats alu(AluOp op, Floats a, Floats b, size_t vl);

// Lanes where a compares true with 0; false for what is no comparison.
bool is_comparison(AluOp op);
Mask compare_with_zero(AluOp op, Ints a, size_t vl);

// x^y as C defines it, within 2 units in the last place.
Floats power(Floats x, Floats y, size_t vl);

}  // namespace trnsim::firmware
