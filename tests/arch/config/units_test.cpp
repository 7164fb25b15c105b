#include "arch/config/units.hpp"

#include <gtest/gtest.h>

#include "common/random.hpp"

namespace trnsim::config {
namespace {

struct Case {
    const char* text;
    Quantity quantity;
    std::uint64_t value;
};

constexpr Case Good[] = {
    {"0", Quantity::Count, 0},
    {"128", Quantity::Count, 128},
    {"18446744073709551615", Quantity::Count, 18446744073709551615ULL},
    {"24 MiB", Quantity::Size, 24ULL << 20},
    {"1.5 KiB", Quantity::Size, 1536},
    {"512 B", Quantity::Size, 512},
    {"16GiB", Quantity::Size, 16ULL << 30},
    {"2.8 GHz", Quantity::Frequency, 2'800'000'000},
    {"820 GB/s", Quantity::Rate, 820'000'000'000},
    {"27.2 GB/s", Quantity::Rate, 27'200'000'000},
    {"1300 ns", Quantity::Time, 1'300'000'000},
    {"9.4 ns", Quantity::Time, 9'400'000},
    {"100 ms", Quantity::Time, 100'000'000'000'000},
};

TEST(Units, ReadsExactly) {
    for (const Case& c : Good) EXPECT_EQ(parse_quantity(c.text, c.quantity), c.value) << c.text;
}

TEST(Units, RefusesWhatIsNotAWholeNumberOfTheBaseUnit) {
    EXPECT_FALSE(parse_quantity("0.3 B", Quantity::Size));
    EXPECT_FALSE(parse_quantity("1.0001 KiB", Quantity::Size));
    EXPECT_FALSE(parse_quantity("0.5 fs", Quantity::Time));
    EXPECT_FALSE(parse_quantity("1.5", Quantity::Count));
}

TEST(Units, RefusesOtherText) {
    for (const char* text : {"", " ", "KiB", "1 kib", "1 KB", "-1 KiB", "1e3 B", "1 KiB x", "1. KiB",
                             ".5 KiB", "0x10 B", "99999999999999999999 GiB", "18014398509481984 KiB"}) {
        EXPECT_FALSE(parse_quantity(text, Quantity::Size)) << text;
    }
    EXPECT_FALSE(parse_quantity("1 KiB", Quantity::Time));
    EXPECT_FALSE(parse_quantity("1", Quantity::Time));
    EXPECT_FALSE(parse_quantity("18446744073709551616", Quantity::Count));
}

TEST(Units, WritesTheLargestUnitThatStaysShort) {
    EXPECT_EQ(format_quantity(24ULL << 20, Quantity::Size), "24 MiB");
    EXPECT_EQ(format_quantity(1536, Quantity::Size), "1.5 KiB");
    EXPECT_EQ(format_quantity(1537, Quantity::Size), "1537 B");
    EXPECT_EQ(format_quantity(2'800'000'000, Quantity::Frequency), "2.8 GHz");
    EXPECT_EQ(format_quantity(9'400'000, Quantity::Time), "9.4 ns");
    EXPECT_EQ(format_quantity(0, Quantity::Time), "0 fs");
    EXPECT_EQ(format_quantity(7, Quantity::Count), "7");
}

TEST(Units, ReadsBackWhatItWrites) {
    auto random = test::generator();
    for (std::uint64_t i = 0; i < 2000 * test::scale(); ++i) {
        const auto quantity = static_cast<Quantity>(random() % 5);
        const std::uint64_t value = random() >> (random() % 64);
        EXPECT_EQ(parse_quantity(format_quantity(value, quantity), quantity), value);
    }
}

TEST(Units, SeedsAreBelow2To32) {
    EXPECT_EQ(parse_seed("0"), 0u);
    EXPECT_EQ(parse_seed("4294967295"), 4294967295u);
    for (const char* text : {"4294967296", "-1", "1.5", "", "none", "7x"})
        EXPECT_FALSE(parse_seed(text)) << text;
}

}  // namespace
}  // namespace trnsim::config
