#include "arch/addresses/pooled.hpp"

#include <gtest/gtest.h>

#include "arch/addresses/addresses.hpp"
#include "common/random.hpp"

namespace trnsim::addresses {
namespace {

constexpr std::uint64_t Top = 0xffff'ffff'ffff;  // the last local address

TEST(Pooled, BitsOfAnAddress) {
    EXPECT_EQ(pooled_address(0, 0), 0x0001'0000'0000'0000u);
    EXPECT_EQ(pooled_address(4, CoreWindowBase), 0x0005'0fff'c000'0000u);
    EXPECT_EQ(pooled_address(254, Top), 0x00ff'ffff'ffff'ffffu);
}

TEST(Pooled, OwnAddressesNameNoChip) {
    for (const std::uint64_t address : {std::uint64_t{0}, HbmStackStride, CoreWindowBase, Top}) {
        EXPECT_FALSE(is_pooled(address));
        EXPECT_FALSE(chip_of(address).has_value());
        EXPECT_EQ(local_of(address), address);
    }
}

TEST(Pooled, NothingBeyondTheLastChip) {
    EXPECT_TRUE(is_pooled(0x00ff'ffff'ffff'ffff));
    for (const std::uint64_t address : {0x0100'0000'0000'0000ull, 0x8001'0000'0000'0000ull, ~0ull}) {
        EXPECT_FALSE(is_pooled(address));
        EXPECT_FALSE(chip_of(address).has_value());
    }
}

TEST(Pooled, BothDirections) {
    auto random = test::generator();
    for (int i = 0; i < 10'000; ++i) {
        const auto chip = static_cast<unsigned>(random() % 255);
        const std::uint64_t local = random() >> 16 >> random() % 48;
        const std::uint64_t address = pooled_address(chip, local);
        ASSERT_EQ(chip_of(address), chip);
        ASSERT_EQ(local_of(address), local);
    }
}

TEST(Pooled, RefusesWhatDoesNotFit) {
    EXPECT_THROW(pooled_address(255, 0), std::invalid_argument);
    EXPECT_THROW(pooled_address(0, Top + 1), std::invalid_argument);
    EXPECT_NO_THROW(pooled_address(254, Top));
}

}  // namespace
}  // namespace trnsim::addresses
