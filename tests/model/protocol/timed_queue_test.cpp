// The queue returns the earliest first, equal times in the order of arrival.
#include "model/protocol/timed_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "common/random.hpp"

namespace trnsim::tlm::protocol {
namespace {

TEST(TimedQueue, TheEarliestComesFirst) {
    TimedQueue<char> queue;
    EXPECT_FALSE(queue.due(~Time{0}));
    queue.push(20, 'c');
    queue.push(10, 'a');
    queue.push(10, 'b');
    EXPECT_EQ(queue.next(), 10u);
    EXPECT_FALSE(queue.due(9));
    EXPECT_TRUE(queue.due(10));
    for (const char expected : {'a', 'b', 'c'}) {
        EXPECT_EQ(queue.front(), expected);
        EXPECT_EQ(queue.pop(), expected);
    }
    EXPECT_TRUE(queue.empty());
}

TEST(TimedQueue, SortsAsAStableSort) {
    auto random = test::generator();
    TimedQueue<unsigned> queue;
    std::vector<std::pair<Time, unsigned>> all;
    for (unsigned i = 0; i < 1000; ++i) {
        all.emplace_back(random() % 50, i);
        queue.push(all.back().first, i);
    }
    std::ranges::stable_sort(all, {}, &std::pair<Time, unsigned>::first);
    for (const auto& [at, value] : all) {
        ASSERT_EQ(queue.next(), at);
        ASSERT_EQ(queue.pop(), value);
    }
}

}  // namespace
}  // namespace trnsim::tlm::protocol
