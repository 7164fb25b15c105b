#include "model/core/rtl/packed_words.hpp"

#include <gtest/gtest.h>

#include <array>

namespace trnsim::tlm {
namespace {

// Tests one, two and more GpSimd cores: Verilator's types for 32 bits of each.
TEST(PackedWords, OfEveryWidth) {
    std::uint32_t one = 0x11111111;
    set_word(one, 0, 0xfedcba98);
    EXPECT_EQ(one, 0xfedcba98u);
    std::uint64_t two = 0x1111111122222222;
    set_word(two, 1, 0xfedcba98);
    EXPECT_EQ(two, 0xfedcba9822222222u);
    set_word(two, 0, 0x87654321);
    EXPECT_EQ(two, 0xfedcba9887654321u);
    std::array<std::uint32_t, 3> three{1, 2, 3};
    set_word(three, 2, 7);
    EXPECT_EQ(three, (std::array<std::uint32_t, 3>{1, 2, 7}));
}

}  // namespace
}  // namespace trnsim::tlm
