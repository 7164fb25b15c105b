// Compares every ALU operation of the lanes with the host, except reciprocal, which vector_dividers_test
// covers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "Vvector_alu_tb.h"
#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/format.hpp"
#include "isa/isa_tables.hpp"
#include "tests/arch/numerics/operands.hpp"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"
#include "tests/rtl/vector/memories.hpp"

namespace trnsim::test {
namespace {

using isa::AluOp;
using numerics::bits_of;
using numerics::float_of;
using Word = std::uint32_t;

// Reads subnormals as zero of their sign and a NaN as the canonical one.
float value_of(Word bits) {
    return numerics::to_fp32(bits, numerics::Format::Fp32);
}
template <float (*Apply)(float, float)>
Word arithmetic(Word x, Word y) {
    return bits_of(Apply(float_of(x), float_of(y)));
}
template <typename Holds>
Word test(Word x, Word y, Holds holds) {
    return bits_of(holds(value_of(x), value_of(y)) ? 1.0f : 0.0f);
}
Word magnitude(Word x) {
    const float value = value_of(x);
    return std::isnan(value) ? bits_of(value) : bits_of(std::fabs(value));
}

struct Row {
    AluOp op;
    Word (*apply)(Word, Word);
};

constexpr std::array Rows{
    Row{AluOp::Bypass, [](Word x, Word) { return x; }},
    Row{AluOp::Add, arithmetic<numerics::add>},
    Row{AluOp::Subtract, arithmetic<numerics::subtract>},
    Row{AluOp::Multiply, arithmetic<numerics::multiply>},
    Row{AluOp::Max, arithmetic<numerics::maximum>},
    Row{AluOp::Min, arithmetic<numerics::minimum>},
    Row{AluOp::IsEqual, [](Word x, Word y) { return test(x, y, std::equal_to{}); }},
    Row{AluOp::NotEqual, [](Word x, Word y) { return test(x, y, std::not_equal_to{}); }},
    Row{AluOp::Greater, [](Word x, Word y) { return test(x, y, std::greater{}); }},
    Row{AluOp::GreaterEqual, [](Word x, Word y) { return test(x, y, std::greater_equal{}); }},
    Row{AluOp::Less, [](Word x, Word y) { return test(x, y, std::less{}); }},
    Row{AluOp::LessEqual, [](Word x, Word y) { return test(x, y, std::less_equal{}); }},
    Row{AluOp::LogicalAnd, [](Word x, Word y) { return test(x, y, std::logical_and{}); }},
    Row{AluOp::LogicalOr, [](Word x, Word y) { return test(x, y, std::logical_or{}); }},
    Row{AluOp::LogicalXor,
        [](Word x, Word y) { return test(x, y, [](float a, float b) { return (a != 0) != (b != 0); }); }},
    Row{AluOp::LogicalNot, [](Word x, Word) { return test(x, x, [](float a, float) { return a == 0; }); }},
    Row{AluOp::BitwiseAnd, [](Word x, Word y) { return x & y; }},
    Row{AluOp::BitwiseOr, [](Word x, Word y) { return x | y; }},
    Row{AluOp::BitwiseXor, [](Word x, Word y) { return x ^ y; }},
    Row{AluOp::BitwiseNot, [](Word x, Word) { return ~x; }},
    Row{AluOp::ShiftLeft, [](Word x, Word y) { return y < 32 ? x << y : 0; }},
    Row{AluOp::ShiftRight, [](Word x, Word y) { return y < 32 ? x >> y : 0; }},
    Row{AluOp::Abs, [](Word x, Word) { return magnitude(x); }},
    Row{AluOp::AbsMax,
        [](Word x, Word y) { return arithmetic<numerics::maximum>(magnitude(x), magnitude(y)); }},
    Row{AluOp::AbsMin,
        [](Word x, Word y) { return arithmetic<numerics::minimum>(magnitude(x), magnitude(y)); }},
    Row{AluOp::Square, [](Word x, Word) { return arithmetic<numerics::multiply>(x, x); }},
    Row{AluOp::Relu, [](Word x, Word) { return arithmetic<numerics::maximum>(x, 0); }},
};

using LanesRow = std::array<Word, Lanes>;

class VectorAlu : public testing::TestWithParam<Row> {
  protected:
    void check(const LanesRow& x, const LanesRow& y) {
        model_->op_i = static_cast<std::uint8_t>(GetParam().op);
        std::copy(x.begin(), x.end(), &model_->x_i[0]);
        std::copy(y.begin(), y.end(), &model_->y_i[0]);
        model_->clk_i = 0;
        model_->eval();
        model_->clk_i = 1;
        model_->eval();
        for (std::size_t k = 0; k < Lanes; ++k) {
            ASSERT_EQ(model_->result_o[k], GetParam().apply(x[k], y[k])) << std::hex << x[k] << " " << y[k];
        }
    }

    std::unique_ptr<Vvector_alu_tb> model_ = std::make_unique<Model<Vvector_alu_tb>>();
};

TEST_P(VectorAlu, AllPairsOfCorners) {
    LanesRow x{}, y{};
    const std::size_t count = Corners.size();
    for (std::size_t first = 0; first < count * count; first += Lanes) {
        for (std::size_t k = 0; k < Lanes; ++k) {
            x[k] = Corners[(first + k) / count % count];
            y[k] = Corners[(first + k) % count];
        }
        ASSERT_NO_FATAL_FAILURE(check(x, y));
    }
}

TEST_P(VectorAlu, ShiftAmounts) {
    LanesRow x{}, y{};
    auto random = generator();
    for (Word first = 0; first < 512; first += Lanes) {
        for (Word k = 0; k < Lanes; ++k) {
            x[k] = static_cast<Word>(random());
            y[k] = first + k < 256 ? first + k : 1u << (k % 32);
        }
        ASSERT_NO_FATAL_FAILURE(check(x, y));
    }
}

// The second operand is anything, close to the first, or its opposite.
TEST_P(VectorAlu, RandomPairs) {
    auto random = generator();
    OperandSource source(random);
    LanesRow x{}, y{};
    const std::uint64_t rows = 1'000'000 / Lanes * scale();
    for (std::uint64_t row = 0; row < rows; ++row) {
        for (std::size_t k = 0; k < Lanes; ++k) {
            x[k] = source.any();
            y[k] =
                row % 2 == 0 ? source.any() : (x[k] ^ (row % 4 == 1 ? 0 : 0x80000000)) + source.below(5) - 2;
        }
        ASSERT_NO_FATAL_FAILURE(check(x, y));
    }
}

INSTANTIATE_TEST_SUITE_P(Operations, VectorAlu, testing::ValuesIn(Rows),
                         [](const auto& info) { return std::string(isa::name_of(info.param.op)); });

}  // namespace
}  // namespace trnsim::test
