// Statistics, selection and negation of a row against the host, operation by operation.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "Vlane_steps_tb.h"
#include "common/random.hpp"
#include "testbench/numerics/arithmetic.hpp"
#include "testbench/numerics/format.hpp"
#include "testbench/numerics/operands.hpp"
#include "tests/common/model.hpp"

namespace trnsim {
namespace {

using numerics::add;
using numerics::bits_of;
using numerics::float_of;
using numerics::multiply;
using numerics::subtract;

constexpr std::size_t Lanes = 128;
enum Operation : std::uint8_t { AddElement, DivideRow, Merge, Select };

class LaneSteps : public testing::Test {
  protected:
    using Results = std::array<float, 3>;

    // Random rows: numbers of elements, moderate values, corners.
    void fill() {
        for (auto& row : model_->in_i) {
            for (std::size_t k = 0; k < Lanes; ++k) row[k] = any();
        }
        model_->invert_i = random_() % 2;
    }

    void run(Operation operation) {
        model_->op_i = operation;
        model_->clk_i = 0;
        model_->eval();
        model_->clk_i = 1;
        model_->eval();
    }

    float in(std::size_t row, std::size_t lane) const { return float_of(model_->in_i[row][lane]); }

    template <typename Reference>
    void expect(Operation operation, std::size_t results, Reference reference) {
        for (std::uint64_t i = 0; i < 300 * test::scale(); ++i) {
            fill();
            run(operation);
            for (std::size_t k = 0; k < Lanes; ++k) {
                const Results expected = reference(k);
                for (std::size_t r = 0; r < results; ++r)
                    ASSERT_EQ(model_->out_o[r][k], bits_of(expected[r])) << "lane " << k << ", result " << r;
            }
        }
    }

    std::unique_ptr<Vlane_steps_tb> model_ = std::make_unique<test::Model<Vlane_steps_tb>>();

  private:
    std::uint32_t any() {
        switch (random_() % 4) {
            case 0:
                return test::Corners[random_() % std::size(test::Corners)];
            case 1:
                return bits_of(static_cast<float>(random_() % 5));
            default:
                return bits_of(static_cast<float>(static_cast<std::int64_t>(random_()) >> 40) / 65536.0F);
        }
    }

    std::mt19937_64 random_ = test::generator();
};

// 0 where the divisor is a zero, as a subnormal is.
float divide(float a, float n) {
    return add(n, 0) == 0 ? 0.0F : multiply(a, numerics::reciprocal(n));
}

TEST_F(LaneSteps, AddElement) {
    expect(AddElement, 2, [this](std::size_t k) -> Results {
        const float old_mean = in(0, k), x = in(2, k), delta = subtract(x, old_mean);
        const float mean = add(old_mean, multiply(delta, in(3, k)));
        return {mean, add(in(1, k), multiply(delta, subtract(x, mean)))};
    });
}

TEST_F(LaneSteps, DivideRow) {
    expect(DivideRow, 1, [this](std::size_t k) -> Results { return {divide(in(0, k), in(1, k))}; });
}

TEST_F(LaneSteps, Merge) {
    expect(Merge, 3, [this](std::size_t k) -> Results {
        const float n = add(in(0, k), in(3, k)), delta = subtract(in(4, k), in(1, k));
        const float part = multiply(delta, divide(in(3, k), n));
        const float square = multiply(multiply(delta, in(0, k)), part);
        return {n, add(in(1, k), part), add(add(in(2, k), in(5, k)), square)};
    });
}

TEST_F(LaneSteps, SelectionAndNegation) {
    for (std::uint64_t i = 0; i < 300 * test::scale(); ++i) {
        fill();
        run(Select);
        for (std::size_t k = 0; k < Lanes; ++k) {
            const bool taken = (model_->in_i[0][k] != 0) != (model_->invert_i != 0);
            ASSERT_EQ(model_->out_o[0][k], model_->in_i[taken ? 1 : 2][k]) << "lane " << k;
            const std::uint32_t sign = std::isnan(in(1, k)) ? 0 : 0x8000'0000;
            ASSERT_EQ(model_->out_o[1][k], model_->in_i[1][k] ^ sign) << "lane " << k;
            ASSERT_EQ(model_->mask_o[k / 32] >> (k % 32) & 1, taken ? 1U : 0U) << "lane " << k;
        }
    }
}

}  // namespace
}  // namespace trnsim
