// What a semaphore's value tells, by hand.
#include "testbench/functional/semaphore_history.hpp"

#include <gtest/gtest.h>

namespace trnsim::functional {
namespace {

constexpr std::size_t Agents = 4;
constexpr std::size_t Waiter = 3;

Clock alone(std::size_t agent, std::uint32_t time) {
    Clock clock(Agents);
    clock[agent] = time;
    return clock;
}

struct History {
    SemaphoreHistory history;

    void add(std::size_t agent, std::uint32_t time, std::uint32_t amount = 1) {
        history.changed(isa::UpdateMode::Add, amount, agent, time, alone(agent, time));
    }
    Clock seen(std::uint32_t value) const {
        return history.at_least(
            value, [](std::size_t agent) { return agent == Waiter ? 100 : 0; }, Agents);
    }
};

TEST(SemaphoreHistory, OneAgentIsKnownByItsCount) {
    History h;
    for (std::uint32_t time = 1; time <= 5; ++time) h.add(0, time, 2);
    EXPECT_EQ(h.seen(0), Clock(Agents));
    EXPECT_EQ(h.seen(1), alone(0, 1));
    EXPECT_EQ(h.seen(4), alone(0, 2));
    EXPECT_EQ(h.seen(9), alone(0, 5));
}

TEST(SemaphoreHistory, OfSeveralOnlyWhatTheOthersCannotHaveAdded) {
    History h;
    h.add(0, 1);
    h.add(1, 1);
    EXPECT_EQ(h.seen(1), Clock(Agents)) << "either may have been first";
    EXPECT_EQ(h.seen(2), (Clock{1, 1, 0, 0}));
    h.add(0, 2);
    EXPECT_EQ(h.seen(2), alone(0, 1)) << "both may be the first agent's";
    EXPECT_EQ(h.seen(3), (Clock{2, 1, 0, 0}));
}

TEST(SemaphoreHistory, AnAnnouncedAdditionMayBeTheOneThatIsSeen) {
    History h;
    h.add(0, 1);
    h.add(1, 1);
    h.history.announced(1, 0);
    EXPECT_EQ(h.seen(2), alone(0, 1));
    h.add(0, 2);  // the announced one
    EXPECT_EQ(h.seen(2), alone(0, 1));
    EXPECT_EQ(h.seen(3), (Clock{2, 1, 0, 0}));
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
    EXPECT_EQ(h.seen(1), Clock(Agents));
    EXPECT_EQ(h.seen(2), (Clock{2, 1, 0, 0})) << "higher than ever before the setting";
}

}  // namespace
}  // namespace trnsim::functional
