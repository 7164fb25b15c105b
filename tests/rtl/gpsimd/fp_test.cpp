// Compares floating point of a GpSimd core with MPFR: every operation, rounding mode and flag.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "Vfp_tb.h"
#include "arch/numerics/operands.hpp"
#include "common/random.hpp"
#include "rtl/gpsimd/ieee_reference.hpp"
#include "tests/common/model.hpp"

namespace trnsim {
namespace {

using test::FpOp;
using test::FpOperands;
using test::FpResult;
using test::RoundingMode;

struct Operation {
    FpOp op;
    std::string_view name;
    int operands;
};

constexpr auto Operations = std::to_array<Operation>({
    {FpOp::Add, "add", 2},
    {FpOp::Sub, "sub", 2},
    {FpOp::Rsub, "rsub", 2},
    {FpOp::Mul, "mul", 2},
    {FpOp::Madd, "madd", 3},
    {FpOp::Msub, "msub", 3},
    {FpOp::Nmsub, "nmsub", 3},
    {FpOp::Nmadd, "nmadd", 3},
    {FpOp::Div, "div", 2},
    {FpOp::Sqrt, "sqrt", 1},
    {FpOp::Sgnj, "sgnj", 2},
    {FpOp::Sgnjn, "sgnjn", 2},
    {FpOp::Sgnjx, "sgnjx", 2},
    {FpOp::Min, "min", 2},
    {FpOp::Max, "max", 2},
    {FpOp::ToInt, "to int", 1},
    {FpOp::ToUint, "to uint", 1},
    {FpOp::FromInt, "from int", 1},
    {FpOp::FromUint, "from uint", 1},
    {FpOp::Move, "move", 1},
    {FpOp::Class, "class", 1},
    {FpOp::Eq, "eq", 2},
    {FpOp::Lt, "lt", 2},
    {FpOp::Le, "le", 2},
    {FpOp::Ne, "ne", 2},
    {FpOp::Gt, "gt", 2},
    {FpOp::Ge, "ge", 2},
});
constexpr auto Modes = std::to_array({RoundingMode::NearestEven, RoundingMode::Zero, RoundingMode::Down,
                                      RoundingMode::Up, RoundingMode::NearestAway});

class GpsimdFp : public testing::TestWithParam<Operation> {
  protected:
    FpResult in_rtl(const FpOperands& operands, RoundingMode mode, unsigned bits) {
        model_->op_i = static_cast<std::uint8_t>(GetParam().op);
        model_->rm_i = static_cast<std::uint8_t>(mode);
        model_->bits_i = static_cast<std::uint8_t>(bits);
        model_->a_i = operands.a;
        model_->b_i = operands.b;
        model_->c_i = operands.c;
        for (const int clk : {0, 1}) {
            model_->clk_i = clk;
            model_->eval();
        }
        return {model_->value_o, model_->flags_o};
    }

    void compare_all_modes(const FpOperands& operands) {
        for (const RoundingMode mode : Modes) compare(operands, mode);
    }

    void compare(const FpOperands& operands, RoundingMode mode) {
        const bool converts = GetParam().op == FpOp::ToInt || GetParam().op == FpOp::ToUint;
        for (const unsigned bits : {16u, 32u}) {
            if (bits == 16 && !converts) continue;
            const FpResult expected = test::ieee(GetParam().op, operands, mode, bits);
            const FpResult result = in_rtl(operands, mode, bits);
            if (result == expected || ++failures_ > 10) continue;
            ADD_FAILURE() << std::hex << operands.a << ' ' << operands.b << ' ' << operands.c << std::dec
                          << ", rounding mode " << static_cast<int>(mode) << ", " << bits << " bits"
                          << std::hex << ": " << result.value << " flags " << int{result.flags} << ", not "
                          << expected.value << " flags " << int{expected.flags};
        }
    }

    std::unique_ptr<Vfp_tb> model_ = std::make_unique<test::Model<Vfp_tb>>();
    int failures_ = 0;
};

// Pairs are tested in every rounding mode, triples in one each.
TEST_P(GpsimdFp, Corners) {
    std::size_t triple = 0;
    for (const std::uint32_t a : test::Corners) {
        for (const std::uint32_t b : test::Corners) {
            if (GetParam().operands < 3) {
                compare_all_modes({a, b, 0x12345678});
                continue;
            }
            for (const std::uint32_t c : test::Corners) compare({a, b, c}, Modes[triple++ % Modes.size()]);
        }
    }
}

// Returns operands with a result near a border: a product and an addend of nearly its size, quotients and
// products that are subnormal or overflow, floats around the limits of integers.
FpOperands near_borders(test::OperandSource& source) {
    const std::uint32_t exponent = 1 + source.below(254);
    FpOperands operands{source.with_exponent(exponent), source.any(), source.any()};
    const auto field = [](int value) { return static_cast<std::uint32_t>(std::clamp(value, 0, 254)); };
    const int product = static_cast<int>(exponent);
    switch (source.below(6)) {
        case 0:  // products at the least normal number
            operands.b = source.with_exponent(field(127 - product + static_cast<int>(source.below(30)) - 27));
            break;
        case 1:  // products at the largest number
            operands.b = source.with_exponent(field(381 - product + static_cast<int>(source.below(5)) - 2));
            break;
        case 2:  // quotients at the least normal number
            operands.b = source.with_exponent(field(product + 126 + static_cast<int>(source.below(28)) - 2));
            break;
        case 3:  // sums of neighbours
            operands.b = operands.a ^ (source.below(2) << 31) ^ (1u << source.below(24));
            operands.c =
                source.with_exponent(field(2 * product - 127 + static_cast<int>(source.below(52)) - 26));
            break;
        case 4:  // integers
            operands.a = source.with_exponent(120 + source.below(42));
            break;
        default:  // random numbers
            operands.a = source.any();
            break;
    }
    return operands;
}

TEST_P(GpsimdFp, RandomOperands) {
    std::mt19937_64 generator = test::generator();
    test::OperandSource source(generator);
    const std::uint64_t cases = 8000 * test::scale();
    for (std::uint64_t k = 0; k < cases && failures_ == 0; ++k) compare_all_modes(near_borders(source));
}

INSTANTIATE_TEST_SUITE_P(Operations, GpsimdFp, testing::ValuesIn(Operations), [](const auto& tested) {
    std::string name(tested.param.name);
    std::erase(name, ' ');
    return name;
});

}  // namespace
}  // namespace trnsim
