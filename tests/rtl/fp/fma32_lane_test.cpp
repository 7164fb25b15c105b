// Compares the fp32 fused multiply-add of a row with the host's.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>

#include "Vfma32_lane_tb.h"
#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/format.hpp"
#include "arch/numerics/operands.hpp"
#include "common/random.hpp"
#include "tests/common/model.hpp"

namespace trnsim {
namespace {

using numerics::bits_of;
using numerics::float_of;

constexpr std::size_t Lanes = 128;

struct Triple {
    std::uint32_t a, b, c;
};

class Fma32Lane : public testing::Test {
  protected:
    // Takes triples one by one and compares a row at a time; call flush() after the last.
    void take(const Triple& triple) {
        row_[count_++] = triple;
        if (count_ < Lanes) return;
        count_ = 0;
        std::array<float, Lanes> a{}, b{}, expected{};
        for (std::size_t k = 0; k < Lanes; ++k) {
            model_->a_i[k] = row_[k].a;
            model_->b_i[k] = row_[k].b;
            model_->c_i[k] = row_[k].c;
            a[k] = float_of(row_[k].a);
            b[k] = float_of(row_[k].b);
            expected[k] = float_of(row_[k].c);
        }
        model_->clk_i = 0;
        model_->eval();
        model_->clk_i = 1;
        model_->eval();
        numerics::fma_steps(a, b, expected);
        for (std::size_t k = 0; k < Lanes; ++k) {
            if (model_->result_o[k] != bits_of(expected[k]) && ++failures_ < 10)
                ADD_FAILURE() << std::hex << row_[k].a << " * " << row_[k].b << " + " << row_[k].c << ": "
                              << model_->result_o[k] << " not " << bits_of(expected[k]);
        }
    }
    void flush() {
        while (count_ != 0) take({});
    }

    std::unique_ptr<Vfma32_lane_tb> model_ = std::make_unique<test::Model<Vfma32_lane_tb>>();
    std::array<Triple, Lanes> row_{};
    std::size_t count_ = 0;
    int failures_ = 0;
};

TEST_F(Fma32Lane, AllTriplesOfCorners) {
    for (const std::uint32_t a : test::Corners) {
        for (const std::uint32_t b : test::Corners) {
            for (const std::uint32_t c : test::Corners) take({a, b, c});
        }
    }
    flush();
}

// Returns an addend placed relative to the product: equal to it but for low bits or a power of two
// (cancellation), half a unit away (ties), or far apart (sticky bits). Products are anywhere, or at the flush
// and overflow boundaries.
Triple near_triple(test::OperandSource& source) {
    const auto field = [](int value) { return static_cast<std::uint32_t>(std::clamp(value, 0, 254)); };
    Triple triple{};
    triple.a = source.with_exponent(1 + source.below(254));
    const std::uint32_t pick = source.below(4);
    const int product = pick == 0   ? static_cast<int>(source.below(60)) - 56
                        : pick == 1 ? 245 + static_cast<int>(source.below(12))
                                    : static_cast<int>(source.below(256));
    triple.b = source.with_exponent(field(product + 127 - static_cast<int>(triple.a >> 23 & 0xff)));
    const float exact = -(float_of(triple.a) * float_of(triple.b));
    const std::uint32_t near = bits_of(exact);
    const auto actual = static_cast<int>(near >> 23 & 0xff);
    switch (source.below(5)) {
        case 0:
            triple.c = near;
            break;
        case 1:
            triple.c = near ^ (source.word() >> source.below(32));
            break;
        case 2:
            triple.c = pick == 0 ? (near & 0x80000000) | 0x00800000 : near ^ (source.word() & 0xf);
            break;
        default:
            triple.c = source.with_exponent(field(actual + static_cast<int>(source.below(108)) - 54));
    }
    return triple;
}

TEST_F(Fma32Lane, AddendsNearTheProduct) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    for (std::uint64_t i = 0; i < 1'000'000 * test::scale(); ++i) take(near_triple(source));
    flush();
}

// Checks that the cases above contain the hard ones: sums that doubles hold exactly are classified.
TEST(Fma32LaneCases, ContainTheHardOnes) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    int ties = 0, cancellations = 0, rescued = 0, flushed = 0, overflows = 0, sticky = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        const Triple t = near_triple(source);
        const double product = static_cast<double>(float_of(t.a)) * float_of(t.b);
        const double addend = float_of(t.c);
        if (product == 0 || !std::isnormal(float_of(t.c))) continue;
        const int apart = std::abs(std::ilogb(product) - std::ilogb(addend));
        sticky += apart > 40;
        if (apart > 30) continue;
        const double sum = product + addend;
        if (sum == 0 || sum - product != addend) continue;
        const int exponent = std::ilogb(sum);
        const double units = std::fabs(sum) / std::ldexp(1.0, exponent - 23);
        ties += units - std::floor(units) == 0.5;
        cancellations += exponent < std::ilogb(addend) - 12;
        rescued += exponent == -127 && std::nearbyint(units) == 0x1p24;
        flushed += std::fabs(sum) < 0x1p-126 * (1 - 0x1p-24);
        overflows += std::fabs(sum) > 0x1.ffffffp127;
    }
    std::printf("ties %d cancellations %d rescued from the flush %d flushed %d overflows %d sticky %d\n",
                ties, cancellations, rescued, flushed, overflows, sticky);
    EXPECT_GT(ties, 1000);
    EXPECT_GT(cancellations, 10'000);
    EXPECT_GT(rescued, 10);
    EXPECT_GT(flushed, 1000);
    EXPECT_GT(overflows, 1000);
    EXPECT_GT(sticky, 10'000);
}

TEST_F(Fma32Lane, AnyOperands) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    for (std::uint64_t i = 0; i < 1'000'000 * test::scale(); ++i)
        take({source.any(), source.any(), source.any()});
    flush();
}

// Prints rows a second; it checks nothing, so it runs with --gtest_also_run_disabled_tests only.
TEST_F(Fma32Lane, DISABLED_SimulationSpeed) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    for (std::size_t k = 0; k < Lanes; ++k) {
        const Triple t = near_triple(source);
        model_->a_i[k] = t.a;
        model_->b_i[k] = t.b;
        model_->c_i[k] = t.c;
    }
    constexpr int Rows = 200'000;
    const auto start = std::chrono::steady_clock::now();
    for (int row = 0; row < Rows; ++row) {
        model_->clk_i = 0;
        model_->eval();
        model_->clk_i = 1;
        model_->eval();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("%.0f million fused multiply-adds a second\n", 1e-6 * Rows * Lanes / seconds.count());
}

}  // namespace
}  // namespace trnsim
