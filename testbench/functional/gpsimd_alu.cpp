#include "testbench/functional/gpsimd_alu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "testbench/functional/error.hpp"
#include "testbench/functional/gpsimd_microcode.hpp"

namespace trnsim::functional {

using firmware::AluOp;

namespace {

constexpr std::uint32_t NotANumber = 0x7fc00000;

// Computes comparisons and logic, which are the same for integers and floats. Returns nothing for another
// operation.
template <class Number>
std::optional<bool> truth(AluOp op, Number a, Number b) {
    switch (op) {
        case AluOp::IsEqual:
            return a == b;
        case AluOp::NotEqual:
            return a != b;
        case AluOp::Greater:
            return a > b;
        case AluOp::GreaterEqual:
            return a >= b;
        case AluOp::Less:
            return a < b;
        case AluOp::LessEqual:
            return a <= b;
        case AluOp::LogicalAnd:
            return a != 0 && b != 0;
        case AluOp::LogicalOr:
            return a != 0 || b != 0;
        case AluOp::LogicalXor:
            return (a != 0) != (b != 0);
        case AluOp::LogicalNot:
            return a == 0;
        default:
            return std::nullopt;
    }
}

// Returns the larger operand, or the one that is a number; -0 is below +0.
float larger(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
}

}  // namespace

void refuse_operation(AluOp op, const char* what) {
    throw Error(
        fmt::format("the GpSimd microcode has no operation {} of {}", static_cast<unsigned>(op), what));
}

std::uint32_t integer_alu(AluOp op, std::uint32_t a, std::uint32_t b, bool is_unsigned) {
    const auto wide = [&](std::uint32_t v) {
        return is_unsigned ? std::int64_t{v} : std::int64_t{static_cast<std::int32_t>(v)};
    };
    const std::int64_t x = wide(a), y = wide(b);
    const auto size = [](std::int64_t v) { return static_cast<std::uint32_t>(v < 0 ? -v : v); };
    if (const auto result = truth(op, x, y)) return *result ? 1 : 0;
    switch (op) {
        case AluOp::Bypass:
            return a;
        case AluOp::Add:
            return a + b;
        case AluOp::Subtract:
            return a - b;
        case AluOp::Multiply:
            return a * b;
        case AluOp::Max:
            return x > y ? a : b;
        case AluOp::Min:
            return x < y ? a : b;
        case AluOp::BitwiseAnd:
            return a & b;
        case AluOp::BitwiseOr:
            return a | b;
        case AluOp::BitwiseXor:
            return a ^ b;
        case AluOp::BitwiseNot:
            return ~a;
        case AluOp::ShiftLeft:
            return b < 32 ? a << b : 0;
        case AluOp::ShiftRight:
            return b < 32 ? a >> b : 0;
        case AluOp::Abs:
            return size(x);
        case AluOp::AbsMax:
            return std::max(size(x), size(y));
        case AluOp::AbsMin:
            return std::min(size(x), size(y));
        case AluOp::Square:
            return a * a;
        case AluOp::Relu:
            return x < 0 ? 0 : a;
        default:
            refuse_operation(op, "integers");
    }
}

float canonical(float value) {
    return std::isnan(value) ? std::bit_cast<float>(NotANumber) : value;
}

namespace {

float float_result(AluOp op, float a, float b) {
    if (const auto result = truth(op, a, b)) return *result ? 1.0F : 0.0F;
    switch (op) {
        case AluOp::Bypass:
            return a;
        case AluOp::Add:
            return a + b;
        case AluOp::Subtract:
            return a - b;
        case AluOp::Multiply:
            return a * b;
        case AluOp::Max:
            return larger(a, b);
        case AluOp::Min:
            return -larger(-a, -b);
        case AluOp::Abs:
            return std::fabs(a);
        case AluOp::Reciprocal:
            return 1.0F / a;
        case AluOp::Rsqrt:
            return 1.0F / std::sqrt(a);
        case AluOp::Power:
            return gpsimd_power(a, b);
        case AluOp::AbsMax:
            return larger(std::fabs(a), std::fabs(b));
        case AluOp::AbsMin:
            return -larger(-std::fabs(a), -std::fabs(b));
        case AluOp::Square:
            return a * a;
        case AluOp::Relu:
            return larger(a, 0.0F);
        default:
            refuse_operation(op, "floats");
    }
}

}  // namespace

float float_alu(AluOp op, float a, float b) {
    const bool keeps_bits = op == AluOp::Bypass || op == AluOp::Abs;
    return keeps_bits ? float_result(op, a, b) : canonical(float_result(op, a, b));
}

}  // namespace trnsim::functional
