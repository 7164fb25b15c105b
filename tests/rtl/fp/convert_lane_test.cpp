// Compares conversions between storage formats and fp32 with the host reference.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "Vconvert_lane_tb.h"
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

struct Named {
    Format format;
    const char* name;
};
constexpr Named Formats[] = {
    {Format::I8, "i8"},
    {Format::U8, "u8"},
    {Format::I16, "i16"},
    {Format::U16, "u16"},
    {Format::I32, "i32"},
    {Format::U32, "u32"},
    {Format::Bf16, "bf16"},
    {Format::Fp16, "fp16"},
    {Format::Tf32, "tf32"},
    {Format::Fp32, "fp32"},
    {Format::Fp8E3m4, "fp8_e3m4"},
    {Format::Fp8E4m3, "fp8_e4m3"},
    {Format::Fp8E5m2, "fp8_e5m2"},
};

class ConvertLane : public testing::TestWithParam<Named> {
  protected:
    // Takes values one by one and compares a row at a time; call flush() after the last.
    void widen(std::uint32_t bits) { take(bits, true); }
    void narrow(std::uint32_t bits) { take(bits, false); }
    void flush(bool widening) {
        while (count_ != 0) take(0, widening);
    }

  private:
    void take(std::uint32_t bits, bool widening) {
        row_[count_++] = bits;
        if (count_ < Lanes) return;
        count_ = 0;
        model_->dtype_i = static_cast<std::uint8_t>(GetParam().format);
        for (std::size_t k = 0; k < Lanes; ++k) model_->row_i[k] = row_[k];
        model_->clk_i = 0;
        model_->eval();
        model_->clk_i = 1;
        model_->eval();
        for (std::size_t k = 0; k < Lanes; ++k) {
            const std::uint32_t expected = widening
                                               ? bits_of(numerics::to_fp32(row_[k], GetParam().format))
                                               : numerics::from_fp32(float_of(row_[k]), GetParam().format);
            const std::uint32_t found = widening ? model_->widened_o[k] : model_->narrowed_o[k];
            if (found != expected && ++failures_ < 10)
                ADD_FAILURE() << std::hex << row_[k] << ": " << found << " not " << expected;
        }
    }

    std::unique_ptr<Vconvert_lane_tb> model_ = std::make_unique<test::Model<Vconvert_lane_tb>>();
    std::array<std::uint32_t, Lanes> row_{};
    std::size_t count_ = 0;
    int failures_ = 0;
};

// Converts every element of up to 16 bits, and corners and random words of the wider formats.
TEST_P(ConvertLane, Widens) {
    const int bytes = numerics::storage_bytes(GetParam().format);
    if (bytes <= 2) {
        for (std::uint32_t bits = 0; bits < 1u << 8 * bytes; ++bits) widen(bits);
    } else {
        auto generator = test::generator();
        test::OperandSource source(generator);
        for (int shift = 0; shift < 32; ++shift) {
            for (int delta = -40; delta <= 40; ++delta) {
                widen((1u << shift) + static_cast<std::uint32_t>(delta));
                widen((3u << shift) + static_cast<std::uint32_t>(delta));
            }
        }
        for (const std::uint32_t corner : test::Corners) widen(corner);
        const std::uint64_t cases = 1'000'000 * test::scale();
        for (std::uint64_t i = 0; i < cases; ++i)
            widen(i % 2 ? source.any() : source.word() >> source.below(32));
    }
    flush(true);
}

// Converts the neighbourhood of every element and of the midpoint above it, for formats of up to 16 bits;
// then the corners, both sides of every power of two, and random values.
TEST_P(ConvertLane, Narrows) {
    const Format format = GetParam().format;
    const int bytes = numerics::storage_bytes(format);
    const auto around = [&](std::uint32_t bits) {
        for (int delta = -2; delta <= 2; ++delta) narrow(bits + static_cast<std::uint32_t>(delta));
    };
    if (bytes <= 2) {
        for (std::uint32_t bits = 0; bits < 1u << 8 * bytes; ++bits) {
            const float here = numerics::to_fp32(bits, format);
            const float next = numerics::to_fp32(bits + 1, format);
            around(bits_of(here));
            around(bits_of(static_cast<float>((static_cast<double>(here) + next) / 2)));
        }
    }
    for (const std::uint32_t corner : test::Corners) around(corner);
    for (std::uint32_t exponent = 0; exponent < 256; ++exponent) {
        for (const std::uint32_t sign : {0u, 0x80000000u}) {
            for (std::uint32_t bit = 0; bit < 24; ++bit) {
                around(sign | exponent << 23 | (1u << bit & 0x7fffff));
                around(sign | exponent << 23 | (0x7fffff & ~((1u << bit) - 1)));
            }
        }
    }
    auto generator = test::generator();
    test::OperandSource source(generator);
    const std::uint64_t cases = 1'000'000 * test::scale();
    for (std::uint64_t i = 0; i < cases; ++i)
        narrow(i % 2 ? source.any() : source.with_exponent(95 + source.below(66)));
    flush(false);
}

// Compares stochastic rounding of values in fp32 with the host's, and with the two neighbours and the
// threshold that follows from their distance: draws on both sides of the threshold are tried.
class StochasticLane : public testing::TestWithParam<Named> {
  protected:
    void around_threshold(std::uint32_t bits) {
        const Format format = GetParam().format;
        const float value = float_of(bits);
        const std::uint32_t low = numerics::from_fp32(value, format, ~0u);  // rounds up only from 2^32 on
        std::uint32_t threshold = 0;
        std::uint32_t high = low;
        if (std::isfinite(value) && std::fabs(value) >= 0x1p-126f) {
            const std::uint32_t unit = format == Format::Tf32 ? 1u << 13 : 1;
            const double below = magnitude(low);
            const double above = magnitude(low + unit);
            const double part = (std::fabs(static_cast<double>(value)) - below) / (above - below);
            if (part >= 0 && part < 1) {
                threshold = static_cast<std::uint32_t>(std::floor(std::ldexp(part, 32)));
                high = low + unit;
                if (numerics::float_format(format).overflows_to_nan &&
                    std::isinf(numerics::to_fp32(high, format)))
                    high = nan_of(format);
            }
        }
        for (const std::uint32_t draw : {0u, threshold - 2, threshold - 1, threshold, threshold + 1, ~0u}) {
            take(bits, draw, draw < threshold ? high : low);
        }
    }
    void take(std::uint32_t bits, std::uint32_t draw, std::uint32_t expected) {
        ASSERT_EQ(numerics::from_fp32(float_of(bits), GetParam().format, draw), expected)
            << std::hex << bits << " draw " << draw;
        cases_.push_back({bits, draw, expected});
        if (cases_.size() == Lanes) compare();
    }
    void compare() {
        model_->dtype_i = static_cast<std::uint8_t>(GetParam().format);
        for (std::size_t k = 0; k < cases_.size(); ++k) {
            model_->row_i[k] = cases_[k].bits;
            model_->draw_i[k] = cases_[k].draw;
        }
        model_->clk_i = 0;
        model_->eval();
        model_->clk_i = 1;
        model_->eval();
        for (std::size_t k = 0; k < cases_.size(); ++k) {
            ASSERT_EQ(model_->stochastic_o[k], cases_[k].expected)
                << std::hex << cases_[k].bits << " draw " << cases_[k].draw;
        }
        cases_.clear();
    }

  private:
    struct Case {
        std::uint32_t bits, draw, expected;
    };

    // Returns the magnitude of an element; for infinity the next power of two.
    double magnitude(std::uint32_t element) const {
        const Format format = GetParam().format;
        const numerics::FloatFormat& f = numerics::float_format(format);
        const double value = std::fabs(static_cast<double>(numerics::to_fp32(element, format)));
        if (std::isinf(value)) return std::ldexp(1.0, (1 << (f.exponent_bits - 1)));
        return value;
    }
    static std::uint32_t nan_of(Format format) { return numerics::from_fp32(float_of(0x7fc00000), format); }

    std::unique_ptr<Vconvert_lane_tb> model_ = std::make_unique<test::Model<Vconvert_lane_tb>>();
    std::vector<Case> cases_;
};

// Rounds values between neighbours: exact ones, those one fp32 unit and one half around every element of up
// to 16 bits, corners, and random values.
TEST_P(StochasticLane, EveryDrawAroundTheThreshold) {
    const Format format = GetParam().format;
    const auto around = [&](std::uint32_t bits) {
        for (int delta = -1; delta <= 1; ++delta)
            ASSERT_NO_FATAL_FAILURE(around_threshold(bits + static_cast<std::uint32_t>(delta)));
    };
    if (numerics::storage_bytes(format) <= 2) {
        for (std::uint32_t bits = 0; bits < 1u << 8 * numerics::storage_bytes(format); ++bits) {
            const float here = numerics::to_fp32(bits, format);
            const float next = numerics::to_fp32(bits + 1, format);
            ASSERT_NO_FATAL_FAILURE(around(bits_of(here)));
            ASSERT_NO_FATAL_FAILURE(
                around(bits_of(static_cast<float>((static_cast<double>(here) + next) / 2))));
        }
    }
    for (const std::uint32_t corner : test::Corners) ASSERT_NO_FATAL_FAILURE(around(corner));
    for (std::uint32_t exponent = 0; exponent < 256; ++exponent) {
        for (std::uint32_t bit = 0; bit < 24; ++bit) {
            ASSERT_NO_FATAL_FAILURE(around(exponent << 23 | (1u << bit & 0x7fffff)));
            ASSERT_NO_FATAL_FAILURE(around(0x80000000 | exponent << 23 | (0x7fffff & ~((1u << bit) - 1))));
        }
    }
    auto generator = test::generator();
    test::OperandSource source(generator);
    const std::uint64_t cases = 100'000 * test::scale();
    for (std::uint64_t i = 0; i < cases; ++i) {
        ASSERT_NO_FATAL_FAILURE(
            around_threshold(i % 2 ? source.any() : source.with_exponent(95 + source.below(66))));
    }
    ASSERT_NO_FATAL_FAILURE(compare());
}

// The draw does not matter for values of the format.
TEST_P(StochasticLane, ExactValuesNeverChange) {
    const Format format = GetParam().format;
    auto generator = test::generator();
    const int bytes = numerics::storage_bytes(format);
    const std::uint32_t elements = bytes <= 2 ? 1u << 8 * bytes : 1u << 19;
    for (std::uint32_t element = 0; element < elements; ++element) {
        const float value = numerics::to_fp32(bytes <= 2 ? element : element << 13, format);
        const std::uint32_t stored = numerics::from_fp32(value, format);
        for (const std::uint32_t draw : {0u, static_cast<std::uint32_t>(generator())})
            ASSERT_NO_FATAL_FAILURE(take(bits_of(value), draw, stored));
    }
    ASSERT_NO_FATAL_FAILURE(compare());
}

constexpr Named Narrower[] = {
    {Format::Bf16, "bf16"},        {Format::Fp16, "fp16"},        {Format::Tf32, "tf32"},
    {Format::Fp8E3m4, "fp8_e3m4"}, {Format::Fp8E4m3, "fp8_e4m3"}, {Format::Fp8E5m2, "fp8_e5m2"},
};
INSTANTIATE_TEST_SUITE_P(Formats, StochasticLane, testing::ValuesIn(Narrower),
                         [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Formats, ConvertLane, testing::ValuesIn(Formats),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace trnsim
