#include "model/contents/random_contents.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace trnsim::tlm::contents {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes at(const RandomContents& contents, std::uint64_t address, std::size_t length) {
    Bytes data(length, 0xee);
    contents.fill(address, data);
    return data;
}

TEST(RandomContents, AreZerosWithoutASeed) {
    EXPECT_EQ(at({}, 3, 100), Bytes(100, 0));
    EXPECT_EQ(at({Seed{}, "core"}, 3, 100), Bytes(100, 0));
}

TEST(RandomContents, FollowFromSeedMemoryAndAddress) {
    const RandomContents contents(1, "core");
    const Bytes all = at(contents, 0, 1000);
    EXPECT_EQ(all, at({1, "core"}, 0, 1000));
    EXPECT_NE(all, at({2, "core"}, 0, 1000));
    EXPECT_NE(all, at({1, "hbm 0"}, 0, 1000));
    for (std::size_t address = 0; address < 40; ++address)
        for (std::size_t length = 0; length < 40; ++length)
            ASSERT_EQ(at(contents, address, length),
                      Bytes(all.begin() + address, all.begin() + address + length));
}

TEST(RandomContents, HaveEveryByteAboutAsOften) {
    std::array<unsigned, 256> count{};
    for (const std::uint8_t byte : at({0, "core"}, 0, 256 * 1000)) ++count[byte];
    for (const unsigned n : count) EXPECT_NEAR(n, 1000, 200);
}

}  // namespace
}  // namespace trnsim::tlm::contents
