#include <gtest/gtest.h>

#include <array>

#include "Vap_iterator.h"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"

namespace trnsim::test {
namespace {

constexpr std::uint32_t AddrMask = (1u << 18) - 1;

struct Pattern {
    std::array<unsigned, 4> count;
    std::array<int, 4> step;
    unsigned size;
    std::uint32_t start;
};

Pattern random_pattern(std::mt19937_64& random) {
    Pattern p{};
    for (int k = 0; k < 4; ++k) {
        p.count[k] = random() % 3 ? 1 + random() % 6 : 1;
        p.step[k] =
            random() % 4 ? static_cast<int>(random() % 129) - 64 : static_cast<std::int16_t>(random());
    }
    p.size = random() % 3;
    p.start = (random() & AddrMask) >> p.size << p.size;
    return p;
}

void drive(Vap_iterator& top, const Pattern& p) {
    top.count_i = 0;
    top.step_i = 0;
    for (int k = 0; k < 4; ++k) {
        top.count_i |= std::uint64_t{p.count[k]} << (16 * k);
        top.step_i |= (static_cast<std::uint64_t>(p.step[k]) & 0xffff) << (16 * k);
    }
    top.size_i = p.size;
    top.start_i = p.start;
}

void tick(Vap_iterator& top) {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
}

// Patterns run back to back: each is loaded with the last advance of the previous one, with pauses between
// elements.
TEST(ApIterator, WalksEveryPatternInOrder) {
    std::mt19937_64 random = generator();
    Model<Vap_iterator> top;
    top.rst_ni = 0;
    tick(top);
    top.rst_ni = 1;
    Pattern pattern = random_pattern(random);
    drive(top, pattern);
    top.load_i = 1;
    tick(top);
    for (std::uint64_t n = 0; n < 3000 * scale(); ++n) {
        const std::uint64_t total =
            std::uint64_t{pattern.count[0]} * pattern.count[1] * pattern.count[2] * pattern.count[3];
        const Pattern next = random_pattern(random);
        for (std::uint64_t element = 0; element < total; ++element) {
            std::uint64_t rest = element;
            std::int64_t addr = pattern.start;
            for (int k = 0; k < 4; ++k) {
                addr += static_cast<std::int64_t>(rest % pattern.count[k]) * pattern.step[k] *
                        (1 << pattern.size);
                rest /= pattern.count[k];
            }
            top.load_i = 0;
            top.advance_i = 0;
            while (random() % 4 == 0) tick(top);
            ASSERT_TRUE(top.valid_o);
            ASSERT_EQ(top.addr_o, static_cast<std::uint32_t>(addr) & AddrMask) << "element " << element;
            ASSERT_EQ(top.last_o, element + 1 == total);
            top.advance_i = 1;
            if (element + 1 == total) {
                drive(top, next);
                top.load_i = 1;
            }
            tick(top);
        }
        pattern = next;
    }
}

TEST(ApIterator, IsEmptyAfterTheLastElement) {
    Model<Vap_iterator> top;
    top.rst_ni = 0;
    tick(top);
    top.rst_ni = 1;
    drive(top, {{2, 1, 1, 1}, {1, 0, 0, 0}, 2, 64});
    top.load_i = 1;
    tick(top);
    top.load_i = 0;
    top.advance_i = 1;
    tick(top);
    EXPECT_TRUE(top.valid_o);
    EXPECT_TRUE(top.last_o);
    EXPECT_EQ(top.addr_o, 68u);
    tick(top);
    EXPECT_FALSE(top.valid_o);
}

TEST(ApIterator, ResetLeavesNothing) {
    Vap_iterator top;
    top.rst_ni = 1;
    top.eval();
    drive(top, {.count = {4, 4, 4, 4}, .step = {1, 1, 1, 1}, .size = 0, .start = 0});
    top.load_i = 1;
    tick(top);
    ASSERT_TRUE(top.valid_o);
    top.rst_ni = 0;
    tick(top);
    EXPECT_FALSE(top.valid_o);
}

}  // namespace
}  // namespace trnsim::test
