#include "model/protocol/ring_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "common/random.hpp"

namespace trnsim::tlm::protocol {
namespace {

TEST(RingQueue, AgreesWithADeque) {
    auto random = test::generator();
    RingQueue<unsigned> queue;
    std::deque<unsigned> expected;
    for (std::uint64_t i = 0; i < 3000 * test::scale(); ++i) {
        const bool grows = i / 100 % 2 == 0;
        if (random() % 4 < (grows ? 3U : 1U)) {
            const auto value = static_cast<unsigned>(random());
            queue.push_back(value);
            expected.push_back(value);
        } else if (!expected.empty()) {
            queue.pop_front();
            expected.pop_front();
        }
        if (random() % 500 == 0) {
            queue.clear();
            expected.clear();
        }
        ASSERT_EQ(queue.empty(), expected.empty());
        ASSERT_EQ(queue.size(), expected.size());
        ASSERT_TRUE(std::equal(queue.begin(), queue.end(), expected.begin(), expected.end()));
        if (expected.empty()) continue;
        ASSERT_EQ(queue.front(), expected.front());
        ASSERT_EQ(queue.back(), expected.back());
        const std::size_t index = random() % expected.size();
        ASSERT_EQ(queue[index], expected[index]);
    }
}

TEST(RingQueue, TakesWhatCanOnlyBeMoved) {
    RingQueue<std::unique_ptr<int>> queue;
    for (int i = 0; i < 20; ++i) queue.push_back(std::make_unique<int>(i));
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(*queue.front(), i);
        queue.pop_front();
    }
    EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace trnsim::tlm::protocol
