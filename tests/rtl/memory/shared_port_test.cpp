// A memory port shared by two engines: one owner at a time, handed over between instructions, in turns when
// both want it.
#include <gtest/gtest.h>

#include <array>

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
        step(0, 0);
        top_.rst_ni = 1;
    }
    // Returns the grants in the cycle after these requests. `busy` are the engines with instructions under
    // way.
    unsigned step(unsigned requests, unsigned busy, bool stall = false) {
        top_.stall_i = stall;
        top_.req_i = requests;
        top_.busy_i = busy;
        top_.clk_i = 0;
        top_.eval();
        changed_ = top_.changing_o;
        top_.clk_i = 1;
        top_.eval();
        return top_.gnt_o;
    }

    // Returns the grants before the edge of a cycle with these requests.
    unsigned peek(unsigned requests) {
        top_.req_i = requests;
        top_.clk_i = 0;
        top_.eval();
        return top_.gnt_o;
    }

    unsigned held() const { return top_.hold_o; }
    // Returns whether the port said that something would change with the last edge.
    bool changed() const { return changed_; }

  private:
    Model<Vshared_port> top_;
    bool changed_ = false;
};

TEST(SharedPort, GrantsWhoeverAsksAlone) {
    Port port;
    for (const unsigned engine : {0b01u, 0b10u}) {
        EXPECT_EQ(port.peek(engine), 0b00u) << "not before an edge";
        EXPECT_EQ(port.step(engine, 0b00), engine);
        for (int cycle = 0; cycle < 20; ++cycle) {
            EXPECT_EQ(port.step(engine, engine), engine);
            EXPECT_EQ(port.held(), 0u) << "nobody waits";
        }
        EXPECT_EQ(port.step(0b00, 0b00), 0b00u);
    }
}

TEST(SharedPort, KeepsTheOwnerWhileItHasSomethingUnderWay) {
    Port port;
    EXPECT_EQ(port.step(0b10, 0b00), 0b10u);
    for (int cycle = 0; cycle < 20; ++cycle) EXPECT_EQ(port.step(0b11, 0b10), 0b10u);
    EXPECT_EQ(port.held(), 0b10u);
    // The engine still requests the port for its next instruction.
    EXPECT_EQ(port.step(0b11, 0b00), 0b01u);
    EXPECT_EQ(port.held(), 0u) << "the new owner has its turn first";
}

TEST(SharedPort, TheOwnerHasItsTurnFirst) {
    Port port;
    EXPECT_EQ(port.step(0b11, 0b00), 0b01u);
    for (int cycle = 0; cycle < 20; ++cycle) {
        EXPECT_EQ(port.step(0b11, 0b00), 0b01u) << "it has begun nothing";
        EXPECT_EQ(port.held(), 0u);
    }
    EXPECT_EQ(port.step(0b11, 0b01), 0b01u);
    EXPECT_EQ(port.held(), 0b01u);
    EXPECT_EQ(port.step(0b11, 0b00), 0b10u);
}

TEST(SharedPort, TakesTurnsWhenBothComeTogether) {
    Port port;
    for (const unsigned last : {0b01u, 0b10u, 0b10u, 0b01u, 0b01u}) {
        port.step(last, 0b00);
        for (int cycle = 0; cycle < 3; ++cycle) port.step(0b00, 0b00);
        EXPECT_EQ(port.step(0b11, 0b00), last ^ 0b11u);
        port.step(0b00, 0b00);
    }
}

TEST(SharedPort, GivesNothingAwayWhileStalled) {
    Port port;
    EXPECT_EQ(port.step(0b01, 0, true), 0u);
    EXPECT_TRUE(port.changed()) << "the clock has to go on";
    EXPECT_EQ(port.step(0b01, 0), 0b01u);
    EXPECT_EQ(port.step(0b11, 0b01, true), 0b01u) << "taken from its owner";
    EXPECT_EQ(port.step(0b10, 0, true), 0u);
    EXPECT_EQ(port.step(0b10, 0), 0b10u);
    EXPECT_EQ(port.step(0, 0, true), 0u);
    EXPECT_EQ(port.step(0, 0, true), 0u);
    EXPECT_FALSE(port.changed());
}

TEST(SharedPort, TheFirstEngineComesFirstAfterReset) {
    Port port;
    EXPECT_EQ(port.step(0b11, 0b00), 0b01u);
}

// An engine at the port: a stream of instructions, with up to two under way; they end in order and only while
// the engine has the port.
class Engine {
  public:
    bool wants = false;
    unsigned under_way = 0;

    bool asks() const { return wants || under_way != 0; }

    // Makes one edge of the engine's clock. Returns how many instructions begin and end.
    std::array<unsigned, 2> step(std::mt19937_64& random, unsigned eagerness, bool granted, bool held) {
        std::array<unsigned, 2> change{};
        if (granted && under_way != 0 && random() % 6 == 0) change[1] = 1;
        if (wants && !held && under_way < 2 && random() % 8 < eagerness) change[0] = 1;
        under_way += change[0] - change[1];
        if (change[0] != 0) wants = false;
        wants = wants || random() % 8 < eagerness;
        return change;
    }
};

// Two streams, from lazy ones to ones without a gap: an engine that asks sees the other end at most two
// instructions before its turn, and a free port is never withheld.
TEST(SharedPort, NobodyWaitsForMoreThanTwoInstructions) {
    auto random = generator();
    std::array<unsigned, 2> most{};
    for (const unsigned eagerness : {1u, 4u, 8u}) {
        Port port;
        std::array<Engine, 2> engines;
        std::array<unsigned, 2> waited{};
        unsigned granted = 0, held = 0;
        const int cycles = static_cast<int>(20000 * scale());
        for (int cycle = 0; cycle < cycles; ++cycle) {
            unsigned requests = 0, busy = 0;
            for (unsigned e = 0; e < 2; ++e) {
                requests |= (engines[e].asks() ? 1u : 0u) << e;
                busy |= (engines[e].under_way != 0 ? 1u : 0u) << e;
            }
            const unsigned before = granted, held_before = held;
            granted = port.step(requests, busy);
            held = port.held();
            ASSERT_NE(granted, 0b11u);
            ASSERT_EQ(granted & ~requests, 0u) << "a grant without a request";
            if (requests != 0) {
                ASSERT_NE(granted, 0u) << "a free port withheld";
            }
            ASSERT_EQ(before & busy & ~granted, 0u) << "taken from an instruction under way";
            ASSERT_EQ(held & ~granted, 0u) << "only the owner is held";
            ASSERT_EQ(held & ~(requests >> 1 | requests << 1), 0u) << "held for nobody";
            if (granted != before || held != held_before) {
                ASSERT_TRUE(port.changed());
            }
            for (unsigned e = 0; e < 2; ++e) {
                // Each engine has an edge only in some cycles, because its clock is slower.
                std::array<unsigned, 2> change{};
                if (random() % 3 != 0)
                    change =
                        engines[e].step(random, eagerness, (granted >> e & 1) != 0, (held >> e & 1) != 0);
                const unsigned other = 1 - e;
                if ((requests >> other & 1) != 0 && (granted >> other & 1) == 0) {
                    waited[other] += change[1];
                    most[other] = std::max(most[other], waited[other]);
                    ASSERT_LE(waited[other], 2u) << "engine " << other << " waits";
                } else {
                    waited[other] = 0;
                }
            }
        }
    }
    EXPECT_EQ(most[0], 2u) << "the bound is met";
    EXPECT_EQ(most[1], 2u) << "the bound is met";
}

}  // namespace
}  // namespace trnsim::test
