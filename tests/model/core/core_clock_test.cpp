#include "model/core/core_clock.hpp"

#include <gtest/gtest.h>

#include "common/random.hpp"

namespace trnsim::tlm {
namespace {

TEST(CoreClock, DoesNotDrift) {
    CoreClock clock(2'800'000'000);
    for (std::uint64_t cycle = 0; cycle < 1'000'000; ++cycle, clock.advance()) {
        ASSERT_EQ(clock.time(), clock.time_of(cycle));
    }
    EXPECT_EQ(clock.time_of(2'800'000'000), 1'000'000'000'000'000u);
    EXPECT_EQ(clock.time_of(14), 5'000'000u);  // 14 cycles are 5 ns
}

TEST(CoreClock, FindsTheCycleOfATime) {
    auto random = test::generator();
    for (int i = 0; i < 10'000; ++i) {
        const CoreClock clock(1'000'000'000 + random() % 3'000'000'000);
        const Time time = random() % 1'000'000'000'000'000;
        const std::uint64_t cycle = clock.cycle_at(time);
        EXPECT_GE(clock.time_of(cycle), time);
        if (cycle > 0) {
            EXPECT_LT(clock.time_of(cycle - 1), time);
        }
        EXPECT_EQ(clock.cycle_at(clock.time_of(cycle)), cycle);
    }
}

TEST(CoreClock, SkipsAndGoesOn) {
    CoreClock clock(2'800'000'000);
    clock.advance();
    EXPECT_EQ(clock.skip_to(1000), 999u);
    EXPECT_EQ(clock.time(), clock.time_of(1000));
    for (int i = 0; i < 100; ++i) clock.advance();
    EXPECT_EQ(clock.time(), clock.time_of(1100));
    EXPECT_EQ(clock.cycle_at(0), 1100u);
}

}  // namespace
}  // namespace trnsim::tlm
