// IEEE 754 binary32 arithmetic as in RISC-V (canonical NaN, tininess after rounding, five rounding modes):
// operations are exact in MPFR, and rounding is written out.
#pragma once

#include <cstdint>

namespace trnsim::test {

// In the order of fp_op_e
enum class FpOp : std::uint8_t {
    Add,
    Sub,
    Rsub,
    Mul,
    Madd,
    Msub,
    Nmsub,
    Nmadd,
    Div,
    Rdiv,
    Sqrt,
    Sgnj,
    Sgnjn,
    Sgnjx,
    Min,
    Max,
    ToInt,
    ToUint,
    FromInt,
    FromUint,
    Move,
    Class,
    Eq,
    Lt,
    Le,
    Ne,
    Gt,
    Ge
};

enum class RoundingMode : std::uint8_t { NearestEven, Zero, Down, Up, NearestAway };

enum Flag : std::uint8_t { Inexact = 1, Underflow = 2, Overflow = 4, DivideByZero = 8, Invalid = 16 };

struct FpResult {
    std::uint32_t value;
    std::uint8_t flags;
    bool operator==(const FpResult&) const = default;
};

struct FpOperands {
    std::uint32_t a, b, c;
};

// `bits` is 16 or 32, the width of the integer in a conversion, which extends its result by the sign; other
// operations ignore it. Rdiv is left out, because the core makes it from Div.
FpResult ieee(FpOp op, const FpOperands& operands, RoundingMode mode, unsigned bits);

}  // namespace trnsim::test
