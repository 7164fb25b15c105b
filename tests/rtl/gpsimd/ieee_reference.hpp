// IEEE 754 binary32 arithmetic as RISC-V has it (canonical NaN, tininess after rounding, five rounding modes): operations are
// exact in MPFR, rounding is spelled out.
#pragma once

#include <cstdint>

namespace trnsim::test {

// In the order of fp_op_e.
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

// `bits`: 16 or 32, of the integer of a conversion, whose result is extended by its sign; others do not look
// at it. Rdiv is left out: the core makes it of Div.
FpResult ieee(FpOp op, const FpOperands& operands, RoundingMode mode, unsigned bits);

}  // namespace trnsim::test
