// Compares the fp32 row operations with the host reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "Vvector_lane_tb.h"
#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/flush_mode.hpp"
#include "arch/numerics/format.hpp"
#include "arch/numerics/operands.hpp"
#include "common/random.hpp"
#include "tests/common/model.hpp"

namespace trnsim {
namespace {

using numerics::bits_of;
using numerics::float_of;

constexpr std::size_t Lanes = 128;
using Row = std::array<std::uint32_t, Lanes>;

// Compares on the host with subnormals read as zero.
template <typename Compare>
float compare(float a, float b, Compare holds) {
    const numerics::FlushMode mode;
    return holds(numerics::to_fp32(bits_of(a), numerics::Format::Fp32),
                 numerics::to_fp32(bits_of(b), numerics::Format::Fp32))
               ? 1.0f
               : 0.0f;
}

struct Operation {
    const char* name;
    float (*reference)(float, float);
};

// In the order of vector_lane_tb's op_i
constexpr Operation Operations[] = {
    {"add", numerics::add},
    {"sub", numerics::subtract},
    {"mul", numerics::multiply},
    {"max", numerics::maximum},
    {"min", numerics::minimum},
    {"equal", [](float a, float b) { return compare(a, b, [](float x, float y) { return x == y; }); }},
    {"not_equal", [](float a, float b) { return compare(a, b, [](float x, float y) { return x != y; }); }},
    {"greater", [](float a, float b) { return compare(a, b, [](float x, float y) { return x > y; }); }},
    {"greater_equal",
     [](float a, float b) { return compare(a, b, [](float x, float y) { return x >= y; }); }},
    {"less", [](float a, float b) { return compare(a, b, [](float x, float y) { return x < y; }); }},
    {"less_equal", [](float a, float b) { return compare(a, b, [](float x, float y) { return x <= y; }); }},
    {"psum_add", numerics::add},
};

class VectorLane : public testing::TestWithParam<std::size_t> {
  protected:
    void check(const Row& a, const Row& b) {
        const Operation& operation = Operations[GetParam()];
        model_->op_i = static_cast<std::uint8_t>(GetParam());
        for (std::size_t k = 0; k < Lanes; ++k) {
            model_->a_i[k] = a[k];
            model_->b_i[k] = b[k];
        }
        model_->clk_i = 0;
        model_->eval();
        model_->clk_i = 1;
        model_->eval();
        for (std::size_t k = 0; k < Lanes; ++k) {
            ASSERT_EQ(model_->result_o[k], bits_of(operation.reference(float_of(a[k]), float_of(b[k]))))
                << operation.name << std::hex << " " << a[k] << " " << b[k];
        }
    }

    std::unique_ptr<Vvector_lane_tb> model_ = std::make_unique<test::Model<Vvector_lane_tb>>();
    Row a_{};
    Row b_{};
};

TEST_P(VectorLane, AllPairsOfCorners) {
    const std::size_t count = test::Corners.size();
    for (std::size_t first = 0; first < count * count; first += Lanes) {
        for (std::size_t k = 0; k < Lanes; ++k) {
            const std::size_t pair = (first + k) % (count * count);
            a_[k] = test::Corners[pair / count];
            b_[k] = test::Corners[pair % count];
        }
        ASSERT_NO_FATAL_FAILURE(check(a_, b_));
    }
}

// The second operand is anything, or it is chosen so that sums cancel or tie, products meet the flush or the
// overflow boundary, or comparisons are close.
TEST_P(VectorLane, RandomPairs) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    const std::uint64_t rows = 1'000'000 / Lanes * test::scale();
    for (std::uint64_t row = 0; row < rows; ++row) {
        for (std::size_t k = 0; k < Lanes; ++k) {
            const std::uint32_t a = source.any();
            const auto exponent = static_cast<int>(a >> 23 & 0xff);
            const auto field = [](int value) {
                return static_cast<std::uint32_t>(std::clamp(value, 0, 255));
            };
            a_[k] = a;
            switch (source.below(6)) {
                case 0:
                    b_[k] = a ^ (source.word() & 0x80000000) ^ (source.word() >> source.below(32));
                    break;
                case 1:
                    b_[k] = (a ^ 0x80000000) + source.below(9) - 4;
                    break;
                case 2:
                    b_[k] = source.with_exponent(field(exponent + static_cast<int>(source.below(60)) - 30));
                    break;
                case 3:
                    b_[k] = source.with_exponent(field(127 - exponent + static_cast<int>(source.below(6))));
                    break;
                case 4:
                    b_[k] = source.with_exponent(field(381 - exponent - static_cast<int>(source.below(6))));
                    break;
                default:
                    b_[k] = source.any();
            }
        }
        ASSERT_NO_FATAL_FAILURE(check(a_, b_));
    }
}

INSTANTIATE_TEST_SUITE_P(Operations, VectorLane, testing::Range<std::size_t>(0, std::size(Operations)),
                         [](const auto& info) { return std::string(Operations[info.param].name); });

}  // namespace
}  // namespace trnsim
