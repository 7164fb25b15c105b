// The write stage of an engine: the results under each rounding, the writes that take draws, and the effect
// of draws on many values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/common/random.hpp"
#include "tests/rtl/rounding/rounding_bench.hpp"

namespace trnsim::test {
namespace {

using numerics::bits_of;
using numerics::Format;

constexpr Format Formats[] = {Format::I8,      Format::U8,      Format::I16,    Format::U16,  Format::I32,
                              Format::U32,     Format::Bf16,    Format::Fp16,   Format::Tf32, Format::Fp32,
                              Format::Fp8E3m4, Format::Fp8E4m3, Format::Fp8E5m2};

// Returns how far a sum of `terms` independent terms of this standard deviation may be from its mean; the
// probability that any of `comparisons` exceeds that is 1e-6.
double allowed(double deviation, double terms, double comparisons) {
    return deviation * std::sqrt(terms) * std::sqrt(2 * std::log(2 * comparisons / 1e-6));
}

Row filled(float value) {
    Row row{};
    row.fill(bits_of(value));
    return row;
}

// Random writes of every kind. The draws of later writes show whether a write took one draw of each lane in
// use, or none.
TEST(RoundingUnit, MatchesTheReference) {
    std::mt19937_64 random = generator();
    RoundingBench bench;
    const std::uint64_t writes = 20'000 * scale();
    for (std::uint64_t i = 0; i < writes; ++i) {
        if (random() % 64 == 0) bench.seed(static_cast<std::uint32_t>(random()));
        Write how;
        how.format = Formats[random() % std::size(Formats)];
        how.stochastic = random() % 4 != 0;
        how.raw = random() % 8 == 0;
        how.first = static_cast<unsigned>(random() % 4);
        how.partitions = 1 + random() % (Lanes - how.first * Lanes / 4);
        Row values;
        for (std::uint32_t& value : values) {
            value = static_cast<std::uint32_t>(random());
            if (random() % 2 != 0) value = (value & 0x80ffffff) | 0x38000000;
        }
        if (random() % 8 == 0) {
            const Row before = bench.row();
            bench.idle(values, how);
            ASSERT_EQ(bench.row(), before) << "before write " << i;
        }
        ASSERT_EQ(bench.elements(values, how), bench.expected(values, how)) << "write " << i;
    }
}

TEST(RoundingUnit, RepeatsTheElementInEveryPlaceOfTheWord) {
    RoundingBench bench;
    EXPECT_EQ(bench.write(filled(1.0f), {.format = Format::Bf16})[5], 0x3f803f80u);
    EXPECT_EQ(bench.write(filled(1.0f), {.format = Format::Fp8E4m3})[5], 0x38383838u);
}

std::vector<std::uint32_t> bits_after_seed(std::uint32_t seed) {
    RoundingBench bench;
    bench.seed(seed);
    std::vector<std::uint32_t> all;
    for (int i = 0; i < 16; ++i) {
        const auto some = bench.elements(filled(1.001953125f), {});
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

TEST(RoundingUnit, TheSeedDecides) {
    EXPECT_EQ(bits_after_seed(7), bits_after_seed(7));
    EXPECT_NE(bits_after_seed(7), bits_after_seed(8));
    EXPECT_NE(bits_after_seed(0), bits_after_seed(1));
    // Seed 0 rounds in both directions like any other; it is also the seed after reset.
    const auto zero = bits_after_seed(0);
    EXPECT_NE(std::count(zero.begin(), zero.end(), 0x3f80u), 0);
    EXPECT_NE(std::count(zero.begin(), zero.end(), 0x3f81u), 0);
    RoundingBench fresh;
    const auto first = fresh.elements(filled(1.001953125f), {});
    EXPECT_TRUE(std::equal(first.begin(), first.end(), zero.begin()));
}

// Values with a known dropped part must round up for a share f / 2^32 of the draws, in every format.
TEST(RoundingUnit, RoundsUpAsOftenAsTheDroppedPartSays) {
    constexpr double Parts[] = {1.0 / 4096, 1.0 / 64, 0.25, 0.5, 0.75, 1 - 1.0 / 64, 1 - 1.0 / 4096};
    RoundingBench bench;
    bench.seed(1);
    const std::uint64_t rows = 2048 * scale();
    const double draws = static_cast<double>(rows) * Lanes;
    for (const Format format :
         {Format::Bf16, Format::Fp16, Format::Tf32, Format::Fp8E3m4, Format::Fp8E4m3, Format::Fp8E5m2}) {
        const numerics::FloatFormat& f = numerics::float_format(format);
        for (const double part : Parts) {
            const auto value = static_cast<float>(-1.0 - std::ldexp(part, -f.fraction_bits));
            const std::uint32_t below = numerics::from_fp32(-1.0f, format);
            const std::uint32_t above = below + (1u << f.unused_low_bits);
            double up = 0;
            for (std::uint64_t i = 0; i < rows; ++i) {
                for (const std::uint32_t element : bench.elements(filled(value), {.format = format})) {
                    ASSERT_TRUE(element == below || element == above);
                    up += element == above;
                }
            }
            EXPECT_LE(std::fabs(up - draws * part),
                      allowed(std::sqrt(part * (1 - part)), draws, 6 * std::size(Parts)))
                << "part " << part;
        }
    }
}

// AWS's published test: fp16 1024, 2,048 times + 0.5.
//
// Under stochastic rounding each step adds 0.5 on average, so a lane ends near 2048. The variance of a step
// is 1/4 below 2048, where half a unit is dropped, and 3/4 above, where a quarter of a unit is dropped.
TEST(RoundingUnit, AddingHalfToAThousandAndTwentyFour) {
    constexpr int Steps = 2048;
    for (const bool stochastic : {false, true}) {
        RoundingBench bench;
        bench.seed(0);
        std::vector<std::uint32_t> sums(Lanes, numerics::from_fp32(1024.0f, Format::Fp16));
        for (int i = 0; i < Steps; ++i) {
            Row values;
            for (std::size_t k = 0; k < Lanes; ++k)
                values[k] = bits_of(numerics::to_fp32(sums[k], Format::Fp16) + 0.5f);
            sums = bench.elements(values, {.format = Format::Fp16, .stochastic = stochastic});
        }
        double mean = 0;
        for (const std::uint32_t sum : sums) {
            const double end = numerics::to_fp32(sum, Format::Fp16);
            mean += end / Lanes;
            if (!stochastic) {
                ASSERT_EQ(end, 1024.0);
            } else {
                ASSERT_LE(std::fabs(end - 2048.0), allowed(std::sqrt(0.75), Steps, Lanes));
            }
        }
        if (!stochastic) continue;
        std::printf("mean over %zu lanes %.2f\n", Lanes, mean);
        EXPECT_LE(std::fabs(mean - 2048.0), allowed(std::sqrt(0.75 / Lanes), Steps, 1));
    }
}

}  // namespace
}  // namespace trnsim::test
