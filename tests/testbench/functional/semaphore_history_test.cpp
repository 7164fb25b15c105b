// Tests the facts that a semaphore's value proves, with cases written by hand.
#include "testbench/functional/semaphore_history.hpp"

#include <gtest/gtest.h>

namespace trnsim::functional {
namespace {

constexpr std::size_t Agents = 4, Waiter = 3, Issue = 4, Entries = 5;

Clock alone(std::size_t agent, std::uint32_t time) {
    Clock clock(Entries);
    clock[agent] = time;
    return clock;
}

const Clock Nothing(Entries);

struct History {
    SemaphoreHistory history;
    std::uint32_t readings = 0;

    void add(std::size_t agent, std::uint32_t time, std::uint32_t amount = 1) {
        add(agent, time, alone(agent, time), amount);
    }
    void add(std::size_t agent, std::uint32_t time, const Clock& clock, std::uint32_t amount = 1) {
        history.changed(isa::UpdateMode::Add, amount, agent, time, clock);
    }
    Clock seen(std::uint32_t value) {
        return history.at_least(
            value, [](std::size_t agent) { return agent == Waiter ? 100 : 0; }, {Waiter, Issue, ++readings},
            Entries);
    }
    bool restart() {
        readings = 0;
        return history.restart();
    }
};

TEST(SemaphoreHistory, OneAgentIsKnownByItsCount) {
    History h;
    for (std::uint32_t time = 1; time <= 5; ++time) h.add(0, time, 2);
    EXPECT_EQ(h.seen(0), Nothing);
    EXPECT_EQ(h.seen(1), alone(0, 1));
    EXPECT_EQ(h.seen(4), alone(0, 2));
    EXPECT_EQ(h.seen(9), alone(0, 5));
}

TEST(SemaphoreHistory, OfSeveralOnlyWhatTheOthersCannotHaveAdded) {
    History h;
    h.add(0, 1);
    h.add(1, 1);
    EXPECT_EQ(h.seen(1), Nothing) << "either may have been first";
    EXPECT_EQ(h.seen(2), (Clock{1, 1, 0, 0, 0}));
    h.add(0, 2);
    EXPECT_EQ(h.seen(2), alone(0, 1)) << "both may be the first agent's";
    EXPECT_EQ(h.seen(3), (Clock{2, 1, 0, 0, 0}));
}

TEST(SemaphoreHistory, AnAnnouncedAdditionMayBeTheOneThatIsSeen) {
    History h;
    h.add(0, 1);
    h.add(1, 1);
    h.history.announced(1, 0, Nothing);
    EXPECT_EQ(h.seen(2), alone(0, 1));
    h.add(0, 2);  // the announced one
    EXPECT_EQ(h.seen(2), alone(0, 1));
    EXPECT_EQ(h.seen(3), (Clock{2, 1, 0, 0, 0}));
}

// An addition that comes only after another one cannot have been seen in its place.
TEST(SemaphoreHistory, AnAdditionBehindAnotherIsNoSubstituteForIt) {
    History h;
    h.add(0, 1);
    h.add(1, 1);
    Clock behind = alone(0, 2);
    behind[1] = 1;
    h.history.announced(1, 0, alone(1, 1));
    EXPECT_EQ(h.seen(2), (Clock{1, 1, 0, 0, 0}));
    h.add(0, 2, behind);
    EXPECT_EQ(h.seen(2), (Clock{1, 1, 0, 0, 0}));
}

TEST(SemaphoreHistory, ALaterAdditionThatNothingOrdersTeachesDoubt) {
    History h;
    const auto run = [&h] {
        h.add(0, 1);
        const Clock told = h.seen(1);
        h.add(1, 1);
        return told;
    };
    EXPECT_EQ(run(), alone(0, 1));
    EXPECT_TRUE(h.restart());
    EXPECT_EQ(run(), Nothing) << "the other may have been first";
    EXPECT_FALSE(h.restart()) << "nothing new";
}

TEST(SemaphoreHistory, AnAdditionBehindTheReadingTeachesNothing) {
    History h;
    h.add(0, 1);
    EXPECT_EQ(h.seen(1), alone(0, 1));
    Clock behind = alone(1, 1);
    behind[Issue] = 1;
    h.add(1, 1, behind);
    EXPECT_FALSE(h.restart());
}

TEST(SemaphoreHistory, ASettingThatNothingOrdersTeachesDoubt) {
    History h;
    const auto run = [&h] {
        h.add(0, 1);
        const Clock told = h.seen(1);
        h.history.changed(isa::UpdateMode::Set, 1, 1, 1, alone(1, 1));
        return told;
    };
    EXPECT_EQ(run(), alone(0, 1));
    EXPECT_TRUE(h.restart());
    EXPECT_EQ(run(), Nothing);
    EXPECT_FALSE(h.restart());
}

TEST(SemaphoreHistory, KnownSubtractionsCount) {
    History h;
    h.add(0, 1);
    h.history.changed(isa::UpdateMode::Sub, 1, Waiter, 1, alone(Waiter, 1));
    h.add(0, 2);
    EXPECT_EQ(h.seen(1), alone(0, 2)) << "the first has been taken back";
}

TEST(SemaphoreHistory, ASettingThatIsNotKnownHidesEverything) {
    History h;
    h.add(0, 1);
    h.history.changed(isa::UpdateMode::Set, 1, 1, 1, alone(1, 1));
    h.add(0, 2);
    EXPECT_EQ(h.seen(1), Nothing);
    EXPECT_EQ(h.seen(2), (Clock{2, 1, 0, 0, 0})) << "higher than ever before the setting";
}

}  // namespace
}  // namespace trnsim::functional
