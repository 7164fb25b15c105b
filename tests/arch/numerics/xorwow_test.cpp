// Tests the reference's random numbers: known answers, and a battery of statistics over lanes, streams and
// seeds.
//
// Every threshold follows from the sample size: a statistic that sums `n` independent terms of standard
// deviation s is allowed s * sqrt(n) * sqrt(2 ln(2 m / alpha)), which a fair generator exceeds in any of the
// m comparisons of a test with probability alpha at most.
#include "arch/numerics/xorwow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <vector>

#include "common/random.hpp"

namespace trnsim {
namespace {

using numerics::Stream;
using numerics::Xorwow;

constexpr std::size_t Lanes = 128;
constexpr double Alpha = 1e-6;

double allowed(double deviation, std::size_t terms, std::size_t comparisons) {
    return deviation * std::sqrt(static_cast<double>(terms)) *
           std::sqrt(2 * std::log(2 * static_cast<double>(comparisons) / Alpha));
}

// draws[lane][i]; the length is a multiple of 4096 and larger in the full set.
using Draws = std::vector<std::vector<std::uint32_t>>;

std::size_t length() {
    return 4096 * std::min<std::size_t>(test::scale(), 8) * 2;
}

Draws draw(Stream stream, std::uint32_t seed) {
    Draws draws;
    for (Xorwow& lane : numerics::generators(stream, Lanes, seed)) {
        std::vector<std::uint32_t>& row = draws.emplace_back(length());
        std::generate(row.begin(), row.end(), [&] { return lane.draw(); });
    }
    return draws;
}

// Returns a draw as a number in [-1/2, 1/2); the standard deviation is sqrt(1/12).
double centred(std::uint32_t word) {
    return std::ldexp(static_cast<double>(word) + 0.5, -32) - 0.5;
}

double product_sum(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                   std::size_t lag) {
    double sum = 0;
    for (std::size_t i = lag; i < a.size(); ++i) sum += centred(a[i]) * centred(b[i - lag]);
    return sum;
}

// Uses SplitMix64's published outputs from the state 1234567, and a step of the generator as the paper writes
// it.
TEST(Xorwow, KnownAnswer) {
    Xorwow generator(static_cast<Stream>(0), 0, 1234567);
    const std::uint64_t outputs[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u};
    auto x = static_cast<std::uint32_t>(outputs[0]);
    auto y = static_cast<std::uint32_t>(outputs[0] >> 32);
    auto z = static_cast<std::uint32_t>(outputs[1]);
    auto w = static_cast<std::uint32_t>(outputs[1] >> 32);
    auto v = static_cast<std::uint32_t>(outputs[2]);
    auto d = static_cast<std::uint32_t>(outputs[2] >> 32);
    for (int i = 0; i < 1000; ++i) {
        const std::uint32_t t = x ^ (x >> 2);
        x = y;
        y = z;
        z = w;
        w = v;
        v = (v ^ (v << 4)) ^ (t ^ (t << 1));
        ASSERT_EQ(generator.draw(), (d += 362437) + v) << i;
    }
}

TEST(Xorwow, EveryStreamSeedAndLaneHasItsOwnSequence) {
    std::set<std::array<std::uint32_t, 2>> starts;
    std::size_t count = 0;
    for (const Stream stream :
         {Stream::VectorRounding, Stream::ScalarRounding, Stream::GpsimdRounding, Stream::VectorRandom}) {
        for (const std::uint32_t seed : {0u, 1u, 2u, 0x80000000u, 0xffffffffu}) {
            for (Xorwow& lane : numerics::generators(stream, 256, seed)) {
                const std::uint32_t first = lane.draw();
                starts.insert({first, lane.draw()});
                ++count;
            }
        }
    }
    EXPECT_EQ(starts.size(), count);
}

class Battery : public testing::TestWithParam<std::uint32_t> {
  protected:
    Draws draws_ = draw(Stream::VectorRounding, GetParam());
};

TEST_P(Battery, BitFrequencies) {
    const double limit = allowed(0.5, length(), Lanes * 32);
    for (const auto& row : draws_) {
        std::array<std::size_t, 32> ones{};
        for (const std::uint32_t word : row) {
            for (std::size_t bit = 0; bit < 32; ++bit) ones[bit] += word >> bit & 1;
        }
        for (const std::size_t count : ones) {
            ASSERT_LE(std::fabs(static_cast<double>(count) - static_cast<double>(length()) / 2), limit);
        }
    }
}

// Chi-square of the upper byte: 255 degrees of freedom exceed 255 + 2 sqrt(255 t) + 2 t with probability
// exp(-t).
TEST_P(Battery, UpperByteIsUniform) {
    const double t = std::log(static_cast<double>(Lanes) / Alpha);
    const double expected = static_cast<double>(length()) / 256;
    for (const auto& row : draws_) {
        std::array<double, 256> counts{};
        for (const std::uint32_t word : row) counts[word >> 24] += 1;
        double chi_square = 0;
        for (const double count : counts) chi_square += (count - expected) * (count - expected) / expected;
        ASSERT_LE(chi_square, 255 + 2 * std::sqrt(255 * t) + 2 * t);
    }
}

// Tests every pair of lanes: the correlation of their numbers, also one draw apart, and the bits in common.
TEST_P(Battery, LanesAreUncorrelated) {
    const std::size_t pairs = Lanes * (Lanes - 1) / 2;
    const double product_limit = allowed(1.0 / 12, length(), 2 * pairs);
    const double bit_limit = allowed(0.5, 32 * length(), pairs);
    for (std::size_t a = 0; a < Lanes; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            ASSERT_LE(std::fabs(product_sum(draws_[a], draws_[b], 0)), product_limit) << a << " " << b;
            ASSERT_LE(std::fabs(product_sum(draws_[a], draws_[b], 1)), product_limit) << a << " " << b;
            std::size_t differing = 0;
            for (std::size_t i = 0; i < length(); ++i) {
                differing += static_cast<std::size_t>(std::popcount(draws_[a][i] ^ draws_[b][i]));
            }
            ASSERT_LE(std::fabs(static_cast<double>(differing) - 16.0 * static_cast<double>(length())),
                      bit_limit);
        }
    }
}

TEST_P(Battery, NoSerialCorrelation) {
    constexpr std::size_t Lags = 16;
    const double limit = allowed(1.0 / 12, length(), Lanes * Lags);
    for (const auto& row : draws_) {
        for (std::size_t lag = 1; lag <= Lags; ++lag) {
            ASSERT_LE(std::fabs(product_sum(row, row, lag)), limit) << lag;
        }
    }
}

TEST_P(Battery, SeedsAndStreamsAreUncorrelated) {
    const Draws other_seed = draw(Stream::VectorRounding, GetParam() ^ 1);
    const Draws other_stream = draw(Stream::VectorRandom, GetParam());
    const double limit = allowed(1.0 / 12, length(), 2 * Lanes);
    for (std::size_t k = 0; k < Lanes; ++k) {
        ASSERT_LE(std::fabs(product_sum(draws_[k], other_seed[k], 0)), limit);
        ASSERT_LE(std::fabs(product_sum(draws_[k], other_stream[k], 0)), limit);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Battery, testing::Values(0u, 1u, 0xdeadbeefu));

}  // namespace
}  // namespace trnsim
