// Tests when alarms ring, and in which order.
#include "model/protocol/alarm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "common/random.hpp"
#include "model/common/host.hpp"

namespace trnsim::tlm::protocol {
namespace {

TEST(Alarm, TheSoonerTimeCounts) {
    std::vector<Time> rung;
    Alarm alarm([&] { rung.push_back(now()); });
    test::elaborate();
    alarm.notify(to_sc(30));
    alarm.notify(to_sc(50));
    sc_core::sc_start(to_sc(100));
    alarm.notify(to_sc(50));
    alarm.notify(to_sc(20));
    sc_core::sc_start(to_sc(100));
    EXPECT_EQ(rung, (std::vector<Time>{30, 120})) << "each once";
    EXPECT_FALSE(sc_core::sc_pending_activity()) << "nothing is left of the later times";
}

TEST(Alarm, OneThatIsGoneDoesNotRing) {
    std::vector<int> rung;
    Alarm first([&] { rung.push_back(1); });
    auto second = std::make_unique<Alarm>([&] { rung.push_back(2); });
    Alarm third([&] { rung.push_back(3); });
    test::elaborate();
    for (Alarm* alarm : {&third, second.get(), &first}) alarm->notify(to_sc(10));
    second.reset();
    sc_core::sc_start(to_sc(20));
    EXPECT_EQ(rung, (std::vector<int>{3, 1})) << "in the order in which they were set";
}

// Alarms of several groups set alarms of their own group, now or later. The oracle knows one group and
// searches all of it for the next alarm.
constexpr unsigned Groups = 5, Members = 23;
constexpr Time End = 3'000;

struct Ring {
    Time at;
    unsigned member;
    bool operator==(const Ring&) const = default;
};
struct Set {
    unsigned member;
    Time delay;
};

constexpr bool set_by_others(unsigned member) {
    return member % 5 == 2;
}

// Returns the alarms that an alarm sets when it rings, from the number of the group's rings so far.
std::vector<Set> sets_of(unsigned group, std::size_t rings) {
    std::mt19937_64 random(test::seed() * 1000 + group * 100'000 + rings);
    std::vector<Set> sets(random() % 3);
    for (Set& set : sets)
        set = {static_cast<unsigned>(random() % Members), random() % 4 == 0 ? 0 : random() % 40};
    if (sets.empty() && rings % 7 == 0) sets.push_back({static_cast<unsigned>(random() % Members), 5});
    return sets;
}

std::vector<Set> first_of(unsigned group) {
    std::vector<Set> sets;
    for (unsigned member = 0; member < Members; ++member)
        sets.push_back({member, 1 + (member * 7 + group) % 10});
    return sets;
}

std::vector<Ring> expected_of(unsigned group) {
    // The time of an alarm and its place among those set for the same time; alarms that others set come
    // first.
    using When = std::pair<Time, std::size_t>;
    std::vector<std::optional<When>> set(Members);
    std::size_t count = Members;
    const auto take = [&](Time time, const std::vector<Set>& sets) {
        for (const Set& one : sets) {
            const std::size_t order = set_by_others(one.member) ? one.member : ++count;
            if (!set[one.member] || set[one.member]->first > time + one.delay)
                set[one.member] = {time + one.delay, order};
        }
    };
    std::vector<Ring> rings;
    take(0, first_of(group));
    while (true) {
        std::optional<unsigned> next;
        for (unsigned member = 0; member < Members; ++member) {
            if (set[member] && (!next || *set[member] < *set[*next])) next = member;
        }
        if (!next || set[*next]->first >= End) return rings;
        const Time time = set[*next]->first;
        set[*next].reset();
        rings.push_back({time, *next});
        take(time, sets_of(group, rings.size()));
    }
}

TEST(Alarm, AGroupRingsAsIfItWereAlone) {
    std::vector<std::vector<Ring>> rings(Groups);
    std::vector<std::deque<Alarm>> alarms(Groups);
    const auto take = [&](unsigned group, const std::vector<Set>& sets) {
        for (const Set& one : sets) alarms[group][one.member].notify(to_sc(one.delay));
    };
    for (unsigned member = 0; member < Members; ++member) {
        for (unsigned group = 0; group < Groups; ++group) {
            alarms[group].emplace_back(
                [&, group, member] {
                    rings[group].push_back({now(), member});
                    take(group, sets_of(group, rings[group].size()));
                },
                set_by_others(member) ? Alarm::Set::ByOthers : Alarm::Set::ByItsChip);
        }
    }
    test::elaborate();
    for (unsigned group = Groups; group-- > 0;) take(group, first_of(group));
    sc_core::sc_start(to_sc(End));
    for (unsigned group = 0; group < Groups; ++group) {
        const std::vector<Ring> expected = expected_of(group);
        EXPECT_GT(expected.size(), 30u);
        EXPECT_EQ(rings[group], expected) << "group " << group;
    }
}

// The same groups as chips that are simulated one after the other, window by window.
TEST(Alarm, ChipsRingOneAfterTheOther) {
    constexpr Time Window = 70;
    std::vector<std::vector<Ring>> rings(Groups);
    std::vector<std::deque<Alarm>> alarms(Groups);
    std::vector<unsigned> order;  // the chips in the order in which they rang, in one window
    const auto take = [&](unsigned group, const std::vector<Set>& sets) {
        for (const Set& one : sets) alarms[group][one.member].notify(to_sc(one.delay));
    };
    for (unsigned member = 0; member < Members; ++member) {
        for (unsigned group = 0; group < Groups; ++group) {
            const AlarmsOfChip chip(group);
            alarms[group].emplace_back(
                [&, group, member] {
                    order.push_back(group);
                    rings[group].push_back({now(), member});
                    take(group, sets_of(group, rings[group].size()));
                },
                set_by_others(member) ? Alarm::Set::ByOthers : Alarm::Set::ByItsChip);
        }
    }
    Alarm of_no_chip([] {});
    test::elaborate();
    for (unsigned group = Groups; group-- > 0;) take(group, first_of(group));
    of_no_chip.notify(to_sc(Window + 1));
    std::vector<bool> apart;
    for (Time end = Window; now() < End; end = std::min(end + Window, End)) {
        order.clear();
        apart.push_back(Alarm::ring_by_chips(end));
        EXPECT_TRUE(!apart.back() || std::ranges::is_sorted(order)) << "until " << end;
        sc_core::sc_start(to_sc(end - now()));
        ASSERT_EQ(now(), end);
    }
    EXPECT_TRUE(apart[0]);
    EXPECT_FALSE(apart[1]) << "an alarm of no chip is due";
    EXPECT_TRUE(apart[2]);
    for (unsigned group = 0; group < Groups; ++group) {
        std::erase_if(rings[group], [](const Ring& ring) { return ring.at >= End; });
        std::vector<Ring> expected = expected_of(group);
        std::erase_if(expected, [](const Ring& ring) { return ring.at >= End; });
        EXPECT_EQ(rings[group], expected) << "group " << group;
    }
}

}  // namespace
}  // namespace trnsim::tlm::protocol
