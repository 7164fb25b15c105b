// Tests properties of the delays and stalls: they follow from the seed, they are mixed, and agents drift
// apart.
#include "model/perturb/perturb.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "common/random.hpp"

namespace trnsim::tlm::perturb {
namespace {

constexpr Time Ns = 1'000'000, Us = 1000 * Ns;
constexpr Time Unit = 10 * Ns;

std::vector<Time> delays(Seed seed, const std::string& agent, const std::string& place) {
    Delay delay(Agent(seed, agent), place, Unit);
    std::vector<Time> all;
    for (Time at = 0; at < 100 * Us; at += 50 * Ns) all.push_back(delay.of(at));
    return all;
}

TEST(Perturb, WithoutASeedNothingHappens) {
    const Agent agent({}, "a");
    Delay delay(agent, "p", Unit), none;
    Stall stall(agent, "p"), no_stall;
    HeldValid valid(agent, "p");
    EXPECT_FALSE(agent.perturbed());
    for (Time at = 0; at < 100 * Us; at += 10 * Ns) {
        EXPECT_EQ(delay.of(at) + none.of(at), 0u);
        EXPECT_FALSE(stall.next(at) || no_stall.next(at));
        EXPECT_TRUE(valid.next(true, false, at));
        EXPECT_FALSE(valid.next(false, true, at));
    }
}

TEST(Perturb, FollowsFromSeedAgentAndPlace) {
    const auto here = delays(7, "a", "p");
    EXPECT_EQ(here, delays(7, "a", "p"));
    for (const auto& other :
         {delays(8, "a", "p"), delays(7, "b", "p"), delays(7, "a", "q"), delays(0, "a", "p")})
        EXPECT_NE(here, other);
}

// Every seed has no delays, some, many, and now and then very long ones.
TEST(Perturb, DelaysAreMixed) {
    const std::uint32_t first = static_cast<std::uint32_t>(test::seed());
    for (std::uint32_t seed = first; seed < first + 20; ++seed) {
        std::array<unsigned, 4> counts{};
        for (unsigned agent = 0; agent < 20; ++agent) {
            for (const Time delay : delays(seed, std::to_string(agent), "p")) {
                ASSERT_LE(delay, LongestDelay);
                ++counts[delay == 0 ? 0 : delay <= 2 * Unit ? 1 : delay <= 50 * Unit ? 2 : 3];
            }
        }
        for (const unsigned count : counts) EXPECT_GT(count, 500u) << "of 40000, seed " << seed;
    }
}

// An agent is undisturbed in one microsecond and slow in another.
TEST(Perturb, AgentsHavePhases) {
    unsigned quiet = 0, slow = 0;
    for (unsigned number = 0; number < 20; ++number) {
        Delay delay(Agent(1, std::to_string(number)), "p", Unit);
        for (Time begin = 0; begin < 100 * Us; begin += Us) {
            Time sum = 0;
            for (Time at = begin; at < begin + Us; at += 50 * Ns) sum += delay.of(at);
            quiet += sum == 0;
            slow += sum / 20 > 15 * Unit;
        }
    }
    EXPECT_GT(quiet, 200u);
    EXPECT_GT(slow, 200u);
}

// The places of an agent are slow at the same time.
TEST(Perturb, PlacesShareTheirAgentsPace) {
    const Agent agent(3, "a");
    Delay one(agent, "p", Unit), other(agent, "q", Unit);
    unsigned both = 0, single = 0;
    for (Time begin = 0; begin < 1000 * Us; begin += Us) {
        Time sums[2] = {};
        for (Time at = begin; at < begin + Us; at += 50 * Ns) {
            sums[0] += one.of(at);
            sums[1] += other.of(at);
        }
        ((sums[0] == 0) == (sums[1] == 0) ? both : single) += 1;
    }
    EXPECT_GT(both, 30 * single);
}

TEST(Perturb, BetweenReachesBothEnds) {
    Delay delay(Agent(1, "a"), "p", Unit);
    unsigned first = 0, last = 0, inside = 0;
    for (int i = 0; i < 300; ++i) {
        const Time at = delay.between(100, 200);
        ASSERT_TRUE(at >= 100 && at <= 200);
        (at == 100 ? first : at == 200 ? last : inside) += 1;
    }
    EXPECT_GT(first, 50u);
    EXPECT_GT(last, 50u);
    EXPECT_GT(inside, 50u);
    EXPECT_EQ(delay.between(5, 5), 5u);
}

TEST(Perturb, StallsBeginAndEnd) {
    unsigned held = 0, longest = 0;
    for (unsigned number = 0; number < 20; ++number) {
        Stall stall(Agent(1, std::to_string(number)), "p");
        unsigned run = 0;
        for (Time at = 0; at < 100 * Us; at += Ns) {
            run = stall.next(at) ? run + 1 : 0;
            held += run != 0;
            longest = std::max(longest, run);
        }
    }
    EXPECT_GT(held, 100'000u);
    EXPECT_LT(held, 1'800'000u);
    EXPECT_GT(longest, 200u);
    EXPECT_LT(longest, 20'000u);
}

TEST(Perturb, AValidOnceUpStays) {
    auto random = test::generator();
    HeldValid valid(Agent(2, "a"), "p");
    bool offered = false, up = false;
    unsigned transfers = 0, withheld = 0;
    for (Time at = 0; at < 100 * Us; at += Ns) {
        offered = offered || random() % 4 == 0;
        const bool ready = random() % 2 == 0;
        const bool now = valid.next(offered, ready, at);
        ASSERT_TRUE(!now || offered);
        ASSERT_TRUE(now || !up) << "taken back";
        withheld += offered && !now;
        up = now && !ready;
        if (now && ready) {
            ++transfers;
            offered = false;
        }
    }
    EXPECT_GT(transfers, 1000u);
    EXPECT_GT(withheld, 1000u);
}

}  // namespace
}  // namespace trnsim::tlm::perturb
