// ALU operations of the GpSimd microcode on an element, computed with the arithmetic of the host. They throw
// Error for an operation that the type does not have.
#pragma once

#include <cstdint>

#include "firmware/include/trnsim/microcode.hpp"

namespace trnsim::functional {

[[noreturn]] void refuse_operation(firmware::AluOp op, const char* what);

// Computes modulo 2^32, with the order of unsigned or of signed numbers.
std::uint32_t integer_alu(firmware::AluOp op, std::uint32_t a, std::uint32_t b, bool is_unsigned);

float float_alu(firmware::AluOp op, float a, float b);

// Replaces every NaN by the one that arithmetic gives.
float canonical(float value);

}  // namespace trnsim::functional
