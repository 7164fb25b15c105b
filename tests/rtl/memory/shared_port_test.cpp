// A memory port shared by two engines: one owner at a time, kept for the whole request, in turns when both
// want it.
#include <gtest/gtest.h>

#include <memory>

#include "Vshared_port.h"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"

namespace trnsim::test {
namespace {

class Port {
  public:
    Port() {
        top_.rst_ni = 1;
        top_.eval();
        top_.rst_ni = 0;
        step(0);
        top_.rst_ni = 1;
    }
    // The grants in the cycle after one with these requests.
    unsigned step(unsigned requests, bool hold = false) {
        top_.hold_i = hold;
        top_.req_i = requests;
        top_.clk_i = 0;
        top_.eval();
        changed_ = top_.changing_o;
        top_.clk_i = 1;
        top_.eval();
        return top_.gnt_o;
    }

    // Whether the port said that it changed hands with the last edge.
    bool changed() const { return changed_; }

  private:
    Model<Vshared_port> top_;
    bool changed_ = false;
};

TEST(SharedPort, GrantsWhoeverAsksAlone) {
    Port port;
    EXPECT_EQ(port.step(0b01), 0b01u);
    EXPECT_EQ(port.step(0b00), 0b00u);
    EXPECT_EQ(port.step(0b10), 0b10u);
}

TEST(SharedPort, KeepsTheOwnerUntilItLetsGo) {
    Port port;
    EXPECT_EQ(port.step(0b10), 0b10u);
    for (int cycle = 0; cycle < 20; ++cycle) EXPECT_EQ(port.step(0b11), 0b10u);
    EXPECT_EQ(port.step(0b01), 0b01u);
}

TEST(SharedPort, TakesTurnsWhenBothComeTogether) {
    Port port;
    const unsigned first = port.step(0b11);
    port.step(0b00);
    const unsigned second = port.step(0b11);
    EXPECT_EQ(first ^ second, 0b11u);
}

TEST(SharedPort, GivesNothingAwayWhileHeld) {
    Port port;
    EXPECT_EQ(port.step(0b01, true), 0u);
    EXPECT_TRUE(port.changed()) << "the clock has to go on";
    EXPECT_EQ(port.step(0b01), 0b01u);
    EXPECT_EQ(port.step(0b11, true), 0b01u) << "taken from its owner";
    EXPECT_FALSE(port.changed());
    EXPECT_EQ(port.step(0b10, true), 0u);
    EXPECT_EQ(port.step(0b10), 0b10u);
    EXPECT_EQ(port.step(0, true), 0u);
    EXPECT_EQ(port.step(0, true), 0u);
    EXPECT_FALSE(port.changed());
}

TEST(SharedPort, TheFirstEngineComesFirstAfterReset) {
    Port port;
    EXPECT_EQ(port.step(0b11), 0b01u);
}

// Nobody waits for more than the other's request, and a free port is never withheld.
TEST(SharedPort, RandomRequests) {
    auto random = generator();
    Port port;
    unsigned requests = 0, waited[2] = {}, granted = 0, last = 0b10;
    const int cycles = static_cast<int>(20000 * scale());
    for (int cycle = 0; cycle < cycles; ++cycle) {
        for (unsigned e = 0; e < 2; ++e) {
            const unsigned bit = 1u << e;
            if ((requests & bit) == 0)
                requests |= random() % 3 == 0 ? bit : 0;
            else if ((granted & bit) != 0 && random() % 4 == 0)
                requests &= ~bit;
        }
        const unsigned before = granted;
        granted = port.step(requests);
        EXPECT_NE(granted, 0b11u);
        EXPECT_EQ(granted & ~requests, 0u) << "a grant without a request";
        if (requests != 0) {
            EXPECT_NE(granted, 0u) << "a free port withheld";
        }
        if ((before & requests) != 0) {
            EXPECT_EQ(granted, before) << "taken from its owner";
        } else if (requests == 0b11) {
            EXPECT_EQ(granted, last ^ 0b11u) << "out of turn";
        }
        EXPECT_EQ(port.changed(), granted != before);
        if (granted != 0) last = granted;
        for (unsigned e = 0; e < 2; ++e) {
            const bool hand_over = granted != before && granted == (1u << (1 - e));
            if ((requests >> e & 1) == 0 || (granted >> e & 1) != 0)
                waited[e] = 0;
            else
                waited[e] += hand_over ? 1 : 0;
            EXPECT_LE(waited[e], 1u) << "passed over twice";
        }
    }
}

}  // namespace
}  // namespace trnsim::test
