// Compares decoding and the fused multiply-add of the Tensor engine's lanes with the host reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "Vtensor_lane_tb.h"
#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/format.hpp"
#include "arch/numerics/operands.hpp"
#include "common/random.hpp"
#include "tests/common/model.hpp"

namespace trnsim {
namespace {

using numerics::bits_of;
using numerics::float_of;
using numerics::Format;

constexpr std::size_t Lanes = 128;

class TensorLane : public testing::Test {
  protected:
    void clock() {
        model_->clk_i = 0;
        model_->eval();
        model_->clk_i = 1;
        model_->eval();
    }

    void select(Format format, bool stationary_part, bool moving_part) {
        model_->dtype_i = static_cast<std::uint8_t>(format);
        model_->stationary_part_i = stationary_part;
        model_->moving_part_i = moving_part;
    }

    // Returns one decoded operand as fp32, by the encoding that the package documents.
    static float value_of(std::uint32_t operand) {
        const std::uint32_t code = operand >> 20;
        const float sign = (operand >> 12 & 1) != 0 ? -1.0f : 1.0f;
        if (code == 4095) return float_of(numerics::CanonicalNan);
        if (code == 2048) return sign * INFINITY;
        if (code == 0) return sign * 0.0f;
        EXPECT_NE(operand & 0x800, 0u) << "significand not normalised";
        return sign *
               std::ldexp(static_cast<float>(operand & 0xfff), static_cast<int>(code) - 449 - 127 - 11);
    }

    std::unique_ptr<Vtensor_lane_tb> model_ = std::make_unique<test::Model<Vtensor_lane_tb>>();
};

// Decodes every element of every format of at most 16 bits.
TEST_F(TensorLane, DecodesEveryNarrowElement) {
    for (const Format format :
         {Format::Bf16, Format::Fp16, Format::Fp8E3m4, Format::Fp8E4m3, Format::Fp8E5m2}) {
        select(format, false, false);
        const std::uint32_t count = 1u << (8 * numerics::storage_bytes(format));
        for (std::uint32_t first = 0; first < count; first += Lanes) {
            for (std::uint32_t k = 0; k < Lanes; ++k) model_->stationary_i[k] = first + k;
            clock();
            for (std::uint32_t k = 0; k < Lanes; ++k) {
                ASSERT_EQ(bits_of(value_of(model_->operands_o[k])),
                          bits_of(numerics::to_fp32(first + k, format)))
                    << "format " << static_cast<int>(format) << " bits " << std::hex << first + k;
            }
        }
    }
}

TEST_F(TensorLane, DecodesTf32AndBothPartsOfFp32) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    const std::uint64_t rows = 1'000'000 / Lanes / 4 * test::scale();
    for (std::uint64_t row = 0; row < rows; ++row) {
        std::array<std::uint32_t, Lanes> raw{};
        for (std::uint32_t k = 0; k < Lanes; ++k) {
            raw[k] = row < 256 ? static_cast<std::uint32_t>(row) << 23 |
                                     (source.word() & 0x807fffff) >> (k & 1 ? 0 : source.below(24))
                               : source.any();
            model_->stationary_i[k] = raw[k];
        }
        const auto expect = [&](const char* what, auto reference) {
            clock();
            for (std::uint32_t k = 0; k < Lanes; ++k) {
                ASSERT_EQ(bits_of(value_of(model_->operands_o[k])), bits_of(reference(raw[k])))
                    << what << std::hex << raw[k];
            }
        };
        const auto split = [](std::uint32_t bits) { return numerics::split_fp32(float_of(bits)); };
        select(Format::Tf32, false, false);
        expect("tf32 ", [&](std::uint32_t bits) { return numerics::to_fp32(bits, Format::Tf32); });
        select(Format::Fp32, true, true);
        expect("high ", [&](std::uint32_t bits) { return split(bits).high; });
        select(Format::Fp32, false, true);
        expect("low ", [&](std::uint32_t bits) { return split(bits).low; });
        if (HasFatalFailure()) return;
    }
}

class TensorFma : public TensorLane {
  protected:
    // Runs one row of operands of at most 12 significant bits and compares all columns.
    void check(const std::array<std::uint32_t, Lanes>& stationary, std::uint32_t moving,
               const std::array<std::uint32_t, Lanes>& acc) {
        std::array<float, Lanes> s{};
        std::array<float, Lanes> m{};
        std::array<float, Lanes> expected{};
        model_->moving_i[0] = moving;
        for (std::size_t k = 0; k < Lanes; ++k) {
            model_->stationary_i[k] = stationary[k];
            model_->acc_i[k] = acc[k];
            s[k] = float_of(stationary[k]);
            m[k] = float_of(moving);
            expected[k] = float_of(acc[k]);
        }
        clock();
        numerics::fma_steps(s, m, expected);
        for (std::size_t k = 0; k < Lanes; ++k) {
            ASSERT_EQ(model_->result_o[k], bits_of(expected[k]))
                << std::hex << stationary[k] << " * " << moving << " + " << acc[k];
        }
    }

    void SetUp() override { select(Format::Fp32, true, true); }

    std::array<std::uint32_t, Lanes> stationary_{};
    std::array<std::uint32_t, Lanes> acc_{};
};

// Keeps the upper 12 significand bits, which an operand of the Tensor engine can have.
std::uint32_t operand(std::uint32_t bits) {
    const bool nan = (bits & 0x7fffffff) > 0x7f800000;
    return nan ? numerics::CanonicalNan : bits & 0xfffff000;
}

TEST_F(TensorFma, AllTriplesOfCorners) {
    std::vector<std::array<std::uint32_t, 2>> pairs;
    for (const std::uint32_t s : test::Corners) {
        for (const std::uint32_t c : test::Corners) pairs.push_back({operand(s), c});
    }
    for (const std::uint32_t m : test::Corners) {
        for (std::size_t first = 0; first < pairs.size(); first += Lanes) {
            for (std::size_t k = 0; k < Lanes; ++k) {
                stationary_[k] = pairs[(first + k) % pairs.size()][0];
                acc_[k] = pairs[(first + k) % pairs.size()][1];
            }
            ASSERT_NO_FATAL_FAILURE(check(stationary_, operand(m), acc_));
        }
    }
}

// Accumulators placed relative to the product: equal and neighbouring exponents of unlike sign
// (cancellation), half a unit away (ties), far apart (sticky bits), products at the flush and overflow
// boundaries.
struct NearRow {
    std::uint32_t moving = 0;
    std::array<std::uint32_t, Lanes> stationary{};
    std::array<std::uint32_t, Lanes> acc{};
};

NearRow near_row(test::OperandSource& source) {
    const auto field = [](int value) { return static_cast<std::uint32_t>(std::clamp(value, 0, 254)); };
    NearRow row;
    row.moving = operand(source.with_exponent(1 + source.below(254)));
    const auto moving_exponent = static_cast<int>(row.moving >> 23 & 0xff);
    for (std::size_t k = 0; k < Lanes; ++k) {
        // The product's exponent field is anywhere, or near the flush or the overflow boundary.
        const std::uint32_t pick = source.below(4);
        const int product = pick == 0   ? static_cast<int>(source.below(30)) - 26
                            : pick == 1 ? 245 + static_cast<int>(source.below(12))
                                        : static_cast<int>(source.below(256));
        row.stationary[k] = operand(source.with_exponent(field(product + 127 - moving_exponent)));
        const std::uint32_t near = bits_of(-(float_of(row.stationary[k]) * float_of(row.moving)));
        const auto actual = static_cast<int>(near >> 23 & 0xff);
        switch (source.below(5)) {
            case 0:
                row.acc[k] = near ^ (source.word() & 0xf);
                break;
            case 1:
                row.acc[k] = near ^ (source.word() >> source.below(32));
                break;
            // The least normal number is subtracted from a tiny product, which is rounded back up or flushed.
            case 2:
                row.acc[k] = pick == 0 ? (near & 0x80000000) | 0x00800000 : source.any();
                break;
            default:
                row.acc[k] = source.with_exponent(field(actual + static_cast<int>(source.below(56)) - 28));
        }
    }
    return row;
}

TEST_F(TensorFma, AccumulatorsNearTheProduct) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    const std::uint64_t rows = 1'000'000 / Lanes * test::scale();
    for (std::uint64_t i = 0; i < rows; ++i) {
        const NearRow row = near_row(source);
        ASSERT_NO_FATAL_FAILURE(check(row.stationary, row.moving, row.acc));
    }
}

// Checks that the cases above contain the hard ones: sums that doubles hold exactly are classified by their
// demands on the hardware.
TEST(TensorFmaCases, ContainTheHardOnes) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    int ties = 0, cancellations = 0, rescued = 0, flushed = 0, overflows = 0, sticky = 0;
    for (std::uint64_t i = 0; i < 1'000'000 / Lanes; ++i) {
        const NearRow row = near_row(source);
        for (std::size_t k = 0; k < Lanes; ++k) {
            const double product = static_cast<double>(float_of(row.stationary[k])) * float_of(row.moving);
            const double acc = float_of(row.acc[k]);
            const double sum = product + acc;
            if (product == 0 || std::fpclassify(float_of(row.acc[k])) != FP_NORMAL) continue;
            const int apart = std::abs(std::ilogb(product) - std::ilogb(acc));
            sticky += apart > 30;
            if (apart > 28 || sum == 0) continue;
            const int exponent = std::ilogb(sum);
            const double unit = std::ldexp(1.0, exponent - 23);
            const double units = std::fabs(sum) / unit;
            ties += units - std::floor(units) == 0.5;
            cancellations += exponent < std::ilogb(acc) - 12;
            rescued += std::fabs(sum) < 0x1p-126 && std::nearbyint(units) == 0x1p24 && exponent == -127;
            flushed += std::fabs(sum) < 0x1p-126 * (1 - 0x1p-24);
            overflows += std::fabs(sum) > 0x1.ffffffp127;
        }
    }
    EXPECT_GT(ties, 10'000);
    EXPECT_GT(cancellations, 10'000);
    EXPECT_GT(rescued, 10);
    EXPECT_GT(flushed, 10'000);
    EXPECT_GT(overflows, 10'000);
    EXPECT_GT(sticky, 10'000);
    std::printf("ties %d cancellations %d rescued from the flush %d flushed %d overflows %d sticky %d\n",
                ties, cancellations, rescued, flushed, overflows, sticky);
}

// Where a low part is involved, infinities and NaN of the other operand read as +0; elsewhere they count.
TEST_F(TensorFma, SpecialsMeetInTheHighPartsOnly) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    for (const int pass : {0, 1, 2, 3}) {
        const bool stationary_high = (pass & 2) != 0;
        const bool moving_high = (pass & 1) != 0;
        select(Format::Fp32, stationary_high, moving_high);
        const auto part = [&](std::uint32_t bits, bool high) {
            const numerics::SplitFp32 split = numerics::split_fp32(float_of(bits));
            return !high ? split.low : pass == 3 || std::isfinite(split.high) ? split.high : 0.0f;
        };
        for (int row = 0; row < 1000; ++row) {
            const std::uint32_t moving = source.any();
            model_->moving_i[0] = moving;
            for (std::size_t k = 0; k < Lanes; ++k) {
                stationary_[k] = source.any();
                acc_[k] = source.any();
                model_->stationary_i[k] = stationary_[k];
                model_->acc_i[k] = acc_[k];
            }
            clock();
            for (std::size_t k = 0; k < Lanes; ++k) {
                const float expected = numerics::fma_step(part(stationary_[k], stationary_high),
                                                          part(moving, moving_high), float_of(acc_[k]));
                ASSERT_EQ(model_->result_o[k], bits_of(expected))
                    << "pass " << pass << std::hex << " " << stationary_[k] << " * " << moving << " + "
                    << acc_[k];
            }
        }
    }
}

TEST_F(TensorFma, AnyOperands) {
    auto generator = test::generator();
    test::OperandSource source(generator);
    const std::uint64_t rows = 1'000'000 / Lanes * test::scale();
    for (std::uint64_t row = 0; row < rows; ++row) {
        for (std::size_t k = 0; k < Lanes; ++k) {
            stationary_[k] = operand(source.any());
            acc_[k] = source.any();
        }
        ASSERT_NO_FATAL_FAILURE(check(stationary_, operand(source.any()), acc_));
    }
}

}  // namespace
}  // namespace trnsim
