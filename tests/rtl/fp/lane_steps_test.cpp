// Compares division by a number of elements, selection and negation of a row with the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "Vlane_steps_tb.h"
#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/format.hpp"
#include "arch/numerics/operands.hpp"
#include "common/random.hpp"
#include "tests/common/model.hpp"

namespace trnsim {
namespace {

using numerics::add;
using numerics::bits_of;
using numerics::float_of;
using numerics::multiply;

constexpr std::size_t Lanes = 128;

class LaneSteps : public testing::Test {
  protected:
    // Fills rows with random numbers of elements, moderate values and corners.
    void fill() {
        for (auto& row : model_->in_i) {
            for (std::size_t k = 0; k < Lanes; ++k) row[k] = any();
        }
        model_->invert_i = random_() % 2;
    }

    void run(bool share) {
        model_->share_i = share;
        model_->clk_i = 0;
        model_->eval();
        model_->clk_i = 1;
        model_->eval();
    }

    float in(std::size_t row, std::size_t lane) const { return float_of(model_->in_i[row][lane]); }

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

// The result is divided by n, but 0 where n is a zero (a subnormal is one).
TEST_F(LaneSteps, Share) {
    for (std::uint64_t i = 0; i < 300 * test::scale(); ++i) {
        fill();
        std::array<float, Lanes> n{};
        for (std::size_t k = 0; k < Lanes; ++k) {
            n[k] = in(1, k);
            model_->in_i[1][k] = bits_of(numerics::reciprocal(n[k]));
        }
        run(true);
        for (std::size_t k = 0; k < Lanes; ++k) {
            const float expected = add(n[k], 0) == 0 ? 0.0F : multiply(in(0, k), numerics::reciprocal(n[k]));
            ASSERT_EQ(model_->out_o[0][k], bits_of(expected)) << "lane " << k;
        }
    }
}

TEST_F(LaneSteps, SelectionAndNegation) {
    for (std::uint64_t i = 0; i < 300 * test::scale(); ++i) {
        fill();
        run(false);
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
