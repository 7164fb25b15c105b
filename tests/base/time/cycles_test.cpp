#include "base/time/cycles.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "common/random.hpp"

namespace trnsim {
namespace {

constexpr std::uint64_t Largest = ~std::uint64_t{0};

// Long arithmetic on digits of 16 bits, the lowest first.
using Digits = std::vector<std::uint32_t>;
constexpr unsigned DigitBits = 16;
constexpr std::uint32_t Base = 1U << DigitBits;

Digits digits_of(std::uint64_t value) {
    Digits digits;
    for (; value != 0; value >>= DigitBits) digits.push_back(static_cast<std::uint32_t>(value % Base));
    return digits;
}

Digits product(const Digits& a, const Digits& b) {
    Digits result(a.size() + b.size(), 0);
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < b.size() || carry != 0; ++j) {
            carry += result[i + j] + (j < b.size() ? std::uint64_t{a[i]} * b[j] : 0);
            result[i + j] = static_cast<std::uint32_t>(carry % Base);
            carry /= Base;
        }
    }
    return result;
}

struct Quotient {
    std::optional<std::uint64_t> floor;  // empty if it has more than 64 bits
    bool rest = false;
};

// Divides bit by bit from the highest: the remainder shifts in a bit and subtracts the divisor if it can.
Quotient divide(const Digits& dividend, std::uint64_t divisor) {
    Quotient result{0};
    std::uint64_t remainder = 0;
    for (std::size_t bit = dividend.size() * DigitBits; bit-- > 0;) {
        const bool carry = remainder >> 63 != 0;
        remainder = remainder << 1 | (dividend[bit / DigitBits] >> bit % DigitBits & 1);
        const bool has = carry || remainder >= divisor;
        if (has) remainder -= divisor;
        if (!result.floor) continue;
        result.floor = *result.floor >> 63 != 0 ? std::nullopt : std::optional(*result.floor << 1 | has);
    }
    result.rest = remainder != 0;
    return result;
}

std::uint64_t expected(std::uint64_t ticks, std::uint64_t from, std::uint64_t to, Round round) {
    const Quotient quotient = divide(product(digits_of(ticks), digits_of(to)), from);
    if (!quotient.floor) return Largest;
    return *quotient.floor + (round == Round::Up && quotient.rest && *quotient.floor != Largest);
}

void check(std::uint64_t ticks, std::uint64_t from, std::uint64_t to) {
    for (const Round round : {Round::Down, Round::Up}) {
        ASSERT_EQ(convert_ticks(ticks, from, to, round), expected(ticks, from, to, round))
            << ticks << " ticks of " << from << " a second at " << to << ", "
            << (round == Round::Up ? "up" : "down");
    }
}

// Returns a random value of any number of bits.
std::uint64_t any(std::mt19937_64& random) {
    return random() >> random() % 64;
}

TEST(Cycles, Corners) {
    const std::array<std::uint64_t, 16> values{0,
                                               1,
                                               2,
                                               3,
                                               0xffff'ffff,
                                               0x1'0000'0000,
                                               1'400'000'000,
                                               2'800'000'000,
                                               2'800'000'001,
                                               PsPerSecond,
                                               FsPerSecond - 1,
                                               FsPerSecond,
                                               Largest / 2,
                                               Largest / 2 + 1,
                                               Largest - 1,
                                               Largest};
    for (const std::uint64_t ticks : values)
        for (const std::uint64_t from : values)
            for (const std::uint64_t to : values)
                if (from != 0) check(ticks, from, to);
}

TEST(Cycles, RandomNumbers) {
    auto random = test::generator();
    for (std::uint64_t i = 0; i < 20'000 * test::scale(); ++i)
        check(any(random), any(random) | 1, any(random));
}

// Tests quotients next to a whole number, and next to the largest one.
TEST(Cycles, RoundsAtWholeNumbers) {
    auto random = test::generator();
    for (std::uint64_t i = 0; i < 20'000 * test::scale(); ++i) {
        const std::uint64_t from = any(random) | 1, to = any(random) | 1;
        const std::uint64_t near = convert_ticks(any(random), to, from, Round::Down);
        for (const std::uint64_t ticks : {near - 1, near, near + 1}) check(ticks, from, to);
        const std::uint64_t limit = convert_ticks(Largest, to, from, Round::Down);
        for (const std::uint64_t ticks : {limit - 1, limit, limit + 1}) check(ticks, from, to);
    }
}

// The periods are not whole numbers of femtoseconds: 14 cycles at 2.8 GHz are 5 ns, one is 357,142 and 6/7
// fs.
TEST(Cycles, OfTheCoreClock) {
    constexpr std::uint64_t Clock = 2'800'000'000;
    EXPECT_EQ(cycles_to_time(14, Clock), 5 * FsPerNs);
    EXPECT_EQ(cycles_to_time(1, Clock), 357'142u);
    EXPECT_EQ(cycles_to_time(1, Clock, Round::Up), 357'143u);
    EXPECT_EQ(time_to_cycles(357'142, Clock), 0u);
    EXPECT_EQ(time_to_cycles(357'143, Clock), 1u);
    EXPECT_EQ(time_to_cycles(357'142, Clock, Round::Up), 1u);
    EXPECT_EQ(time_to_cycles(357'143, Clock, Round::Up), 2u);
    EXPECT_EQ(cycles_to_time(Clock, Clock), FsPerSecond);
    EXPECT_EQ(time_to_cycles(Largest, Clock), 51'650'883'406'386u);
    EXPECT_EQ(cycles_to_time(Largest, Clock), Largest);
    EXPECT_EQ(convert_ticks(Clock, Clock, PsPerSecond, Round::Down), PsPerSecond);
}

// Converts there and back again, for clocks with whole periods and others.
TEST(Cycles, ComeBack) {
    auto random = test::generator();
    for (std::uint64_t i = 0; i < 20'000 * test::scale(); ++i) {
        const std::uint64_t clock = 1 + any(random) % FsPerSecond;
        const std::uint64_t cycle = random() % (time_to_cycles(Largest, clock) + 1);
        ASSERT_EQ(time_to_cycles(cycles_to_time(cycle, clock), clock, Round::Up), cycle) << clock << " Hz";
        ASSERT_EQ(time_to_cycles(cycles_to_time(cycle, clock, Round::Up), clock), cycle) << clock << " Hz";
    }
}

}  // namespace
}  // namespace trnsim
