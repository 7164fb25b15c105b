// The ports of slices: in a cycle one requester of a slice is served; a requester that has a slice to itself
// never waits, and none waits for more than the others.
#include <gtest/gtest.h>

#include <array>

#include "Vslice_arbiter_tb.h"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"

namespace trnsim::test {
namespace {

constexpr unsigned Requesters = 5, Slices = 8;
using Wanted = std::array<unsigned, Requesters>;  // slices

class Arbiter {
  public:
    Arbiter() {
        top_.rst_ni = 1;
        top_.eval();
        top_.rst_ni = 0;
        step(0, {});
        top_.rst_ni = 1;
    }
    // Returns the grants of a cycle.
    unsigned step(unsigned requests, const Wanted& slices, bool hold = false) {
        top_.hold_i = hold;
        top_.req_i = requests;
        unsigned packed = 0;
        for (unsigned r = 0; r < Requesters; ++r) packed |= slices[r] << 3 * r;
        top_.slice_i = packed;
        top_.clk_i = 0;
        top_.eval();
        const unsigned granted = top_.gnt_o;
        top_.clk_i = 1;
        top_.eval();
        return granted;
    }

  private:
    Model<Vslice_arbiter_tb> top_;
};

bool has(unsigned set, unsigned requester) {
    return (set >> requester & 1) != 0;
}

TEST(SliceArbiter, ServesAllOnDifferentSlices) {
    Arbiter arbiter;
    for (unsigned cycle = 0; cycle < 20; ++cycle) EXPECT_EQ(arbiter.step(0b11111, {0, 1, 7, 3, 4}), 0b11111u);
}

TEST(SliceArbiter, ServesThoseOfOneSliceInTurns) {
    Arbiter arbiter;
    std::array<unsigned, Requesters> served{};
    for (unsigned cycle = 0; cycle < 5 * 20; ++cycle) {
        const unsigned granted = arbiter.step(0b11111, {6, 6, 6, 6, 6});
        ASSERT_EQ(__builtin_popcount(granted), 1);
        for (unsigned r = 0; r < Requesters; ++r) served[r] += has(granted, r);
    }
    for (const unsigned count : served) EXPECT_EQ(count, 20u);
}

TEST(SliceArbiter, ServesNobodyWhileHeld) {
    Arbiter arbiter;
    for (unsigned cycle = 0; cycle < 20; ++cycle) EXPECT_EQ(arbiter.step(0b10110, {1, 2, 3, 3, 3}, true), 0u);
    EXPECT_NE(arbiter.step(0b10110, {1, 2, 3, 3, 3}), 0u);
}

TEST(SliceArbiter, NobodyWaitsLongerThanTheOthersNeed) {
    auto random = generator();
    Arbiter arbiter;
    Wanted slices{};
    unsigned requests = 0, longest = 0;
    std::array<unsigned, Requesters> waited{};
    for (std::uint64_t cycle = 0; cycle < 20'000 * scale(); ++cycle) {
        const unsigned spread = 1 + cycle / 64 % Slices;  // few slices give many conflicts
        for (unsigned r = 0; r < Requesters; ++r) {
            if (has(requests, r) || random() % 4 == 0) continue;
            requests |= 1u << r;
            slices[r] = static_cast<unsigned>(random() % spread);
        }
        const bool hold = random() % 16 == 0;
        const unsigned granted = arbiter.step(requests, slices, hold);
        ASSERT_EQ(granted & ~requests, 0u);
        for (unsigned r = 0; r < Requesters; ++r) {
            bool alone = true, other_served = false;
            for (unsigned o = 0; o < Requesters; ++o) {
                if (o == r || !has(requests, o) || slices[o] != slices[r]) continue;
                alone = false;
                other_served |= has(granted, o);
            }
            if (hold || !has(requests, r)) continue;
            ASSERT_NE(has(granted, r), other_served) << "exactly one of a slice, in every cycle";
            ASSERT_TRUE(!alone || has(granted, r));
            waited[r] = has(granted, r) ? 0 : waited[r] + 1;
            longest = std::max(longest, waited[r]);
        }
        requests &= ~granted;
    }
    EXPECT_EQ(longest, Requesters - 1) << "the bound is reached and not exceeded";
}

}  // namespace
}  // namespace trnsim::test
