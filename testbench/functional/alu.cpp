#include "testbench/functional/alu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "arch/numerics/arithmetic.hpp"
#include "testbench/functional/error.hpp"

namespace trnsim::functional {
namespace {

using isa::AluOp;

float truth(bool value) {
    return value ? 1.0f : 0.0f;
}
float magnitude(float x) {
    return numerics::maximum(x, -x);
}
// Comparisons and logic read subnormals as zero, like all other operations.
bool is_true(float x) {
    return std::isnan(x) || std::fabs(x) >= 0x1p-126f;
}
float sign_kept(float x) {
    return is_true(x) ? x : 0.0f;
}

struct ArithmeticRow {
    AluOp op;
    float (*apply)(float, float);
    bool reduces;
};

constexpr std::array ArithmeticRows{
    ArithmeticRow{AluOp::Bypass, [](float x, float) { return x; }, false},
    ArithmeticRow{AluOp::Add, numerics::add, true},
    ArithmeticRow{AluOp::Subtract, numerics::subtract, true},
    ArithmeticRow{AluOp::Multiply, numerics::multiply, true},
    ArithmeticRow{AluOp::Max, numerics::maximum, true},
    ArithmeticRow{AluOp::Min, numerics::minimum, true},
    ArithmeticRow{AluOp::IsEqual, [](float x, float y) { return truth(sign_kept(x) == sign_kept(y)); },
                  false},
    ArithmeticRow{AluOp::NotEqual, [](float x, float y) { return truth(sign_kept(x) != sign_kept(y)); },
                  false},
    ArithmeticRow{AluOp::Greater, [](float x, float y) { return truth(sign_kept(x) > sign_kept(y)); }, false},
    ArithmeticRow{AluOp::GreaterEqual, [](float x, float y) { return truth(sign_kept(x) >= sign_kept(y)); },
                  false},
    ArithmeticRow{AluOp::Less, [](float x, float y) { return truth(sign_kept(x) < sign_kept(y)); }, false},
    ArithmeticRow{AluOp::LessEqual, [](float x, float y) { return truth(sign_kept(x) <= sign_kept(y)); },
                  false},
    ArithmeticRow{AluOp::LogicalAnd, [](float x, float y) { return truth(is_true(x) && is_true(y)); }, true},
    ArithmeticRow{AluOp::LogicalOr, [](float x, float y) { return truth(is_true(x) || is_true(y)); }, true},
    ArithmeticRow{AluOp::LogicalXor, [](float x, float y) { return truth(is_true(x) != is_true(y)); }, true},
    ArithmeticRow{AluOp::LogicalNot, [](float x, float) { return truth(!is_true(x)); }, false},
    ArithmeticRow{AluOp::Abs, [](float x, float) { return magnitude(x); }, false},
    ArithmeticRow{AluOp::Reciprocal, [](float x, float) { return numerics::reciprocal(x); }, false},
    ArithmeticRow{AluOp::AbsMax,
                  [](float x, float y) { return numerics::maximum(magnitude(x), magnitude(y)); }, true},
    ArithmeticRow{AluOp::AbsMin,
                  [](float x, float y) { return numerics::minimum(magnitude(x), magnitude(y)); }, true},
    ArithmeticRow{AluOp::Square, [](float x, float) { return numerics::multiply(x, x); }, false},
    ArithmeticRow{AluOp::Relu, [](float x, float) { return numerics::maximum(x, 0.0f); }, false},
};

struct BitRow {
    AluOp op;
    std::uint32_t (*apply)(std::uint32_t, std::uint32_t);
    bool reduces;
};

constexpr std::array BitRows{
    BitRow{AluOp::Bypass, [](std::uint32_t x, std::uint32_t) { return x; }, false},
    BitRow{AluOp::BitwiseAnd, [](std::uint32_t x, std::uint32_t y) { return x & y; }, true},
    BitRow{AluOp::BitwiseOr, [](std::uint32_t x, std::uint32_t y) { return x | y; }, true},
    BitRow{AluOp::BitwiseXor, [](std::uint32_t x, std::uint32_t y) { return x ^ y; }, true},
    BitRow{AluOp::BitwiseNot, [](std::uint32_t x, std::uint32_t) { return ~x; }, false},
    BitRow{AluOp::ShiftLeft, [](std::uint32_t x, std::uint32_t y) { return y < 32 ? x << y : 0; }, false},
    BitRow{AluOp::ShiftRight, [](std::uint32_t x, std::uint32_t y) { return y < 32 ? x >> y : 0; }, false},
};

template <typename Rows>
const auto& row_of(const Rows& rows, const isa::Instruction& instruction, const isa::Field& op) {
    const auto code = static_cast<AluOp>(instruction.get(op));
    const auto found = std::ranges::find(rows, code, [](const auto& row) { return row.op; });
    if (found == rows.end()) {
        throw Error(fmt::format("{} '{}' is no operation of this instruction", op.name, isa::name_of(code)));
    }
    return *found;
}

}  // namespace

bool is_bit_operation(AluOp op) {
    return op != AluOp::Bypass && std::ranges::find(BitRows, op, &BitRow::op) != BitRows.end();
}

bool has_arithmetic(AluOp op) {
    return std::ranges::find(ArithmeticRows, op, &ArithmeticRow::op) != ArithmeticRows.end();
}

bool has_reduction(AluOp op) {
    const auto reduces = [&](const auto& row) { return row.op == op && row.reduces; };
    return std::ranges::any_of(ArithmeticRows, reduces) || std::ranges::any_of(BitRows, reduces);
}

Step step_of(const isa::Instruction& instruction, const isa::Field& op, const isa::Field& reverse) {
    return {row_of(ArithmeticRows, instruction, op).apply, instruction.get(reverse) != 0};
}

BitStep bit_step_of(const isa::Instruction& instruction, const isa::Field& op, const isa::Field& reverse) {
    return {row_of(BitRows, instruction, op).apply, instruction.get(reverse) != 0};
}

}  // namespace trnsim::functional
