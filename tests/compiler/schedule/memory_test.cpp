// Compares bytes that buffers take in turn with a map of all bytes, one by one.
#include "compiler/schedule/memory.hpp"

#include <gtest/gtest.h>

#include "common/random.hpp"

namespace trnsim::schedule {
namespace {

TEST(Turns, HandOutFreeBytes) {
    std::mt19937_64 random = test::generator();
    for (const std::uint64_t line : {0ULL, 512ULL}) {
        constexpr std::uint64_t Limit = 4096, First = 100;
        std::vector<std::uint32_t> until(Limit);  // [byte]: the last time it is taken, from 1
        Turns turns(First, line);
        int refused = 0;
        for (std::uint32_t now = 1; now < 3000 * test::scale(); ++now) {
            const std::uint64_t size = 1 + random() % 700;
            const auto last = now + static_cast<std::uint32_t>(random() % 12);
            const auto at = turns.take(size, Limit, now, last);
            const auto is_free = [&](std::uint64_t first) {
                for (std::uint64_t byte = first; byte < first + size; ++byte)
                    if (byte >= Limit || byte < First || until[byte] >= now) return false;
                return line == 0 || first % line == 0 || first / line == (first + size - 1) / line;
            };
            if (!at) {
                ++refused;
                for (std::uint64_t first = 0; first < Limit; first += Alignment)
                    ASSERT_FALSE(is_free(first)) << first;
                continue;
            }
            ASSERT_TRUE(is_free(*at)) << *at << " " << size;
            ASSERT_EQ(*at % Alignment, 0u);
            std::fill(until.begin() + static_cast<std::ptrdiff_t>(*at),
                      until.begin() + static_cast<std::ptrdiff_t>(*at + size), last);
        }
        EXPECT_GT(refused, 10);
    }
}

}  // namespace
}  // namespace trnsim::schedule
