// handshake_properties: correct handshakes cause no errors, others do.
#include <Vhandshake_properties.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdint>
#include <vector>

namespace {

struct Cycle {
    bool valid, taken;
    std::uint8_t data;
};

// Returns the number of assertions that failed in these cycles.
int failures(const std::vector<Cycle>& cycles) {
    VerilatedContext context;
    context.errorLimit(1000);  // a higher number ends the program
    Vhandshake_properties top(&context);
    const auto edge = [&] {
        for (const bool level : {false, true}) {
            top.clk_i = level;
            top.eval();
        }
    };
    top.rst_ni = 1;
    top.eval();
    top.rst_ni = 0;
    edge();
    top.rst_ni = 1;
    for (const Cycle& cycle : cycles) {
        top.valid_i = cycle.valid;
        top.taken_i = cycle.taken;
        top.data_i = cycle.data;
        edge();
    }
    return context.errorCount();
}

TEST(HandshakeProperties, Kept) {
    EXPECT_EQ(
        failures({{false, false, 1}, {true, false, 2}, {true, false, 2}, {true, true, 2}, {false, true, 3}}),
        0);
    EXPECT_EQ(
        failures({{true, true, 1}, {true, true, 2}, {true, false, 3}, {true, true, 3}, {true, false, 4}}), 0);
}

TEST(HandshakeProperties, Withdrawn) {
    EXPECT_EQ(failures({{true, false, 2}, {false, false, 2}}), 1);
    EXPECT_EQ(failures({{true, false, 2}, {true, false, 2}, {false, true, 2}}), 1);
}

TEST(HandshakeProperties, Changed) {
    EXPECT_EQ(failures({{true, false, 2}, {true, true, 3}}), 1);
    EXPECT_EQ(failures({{true, false, 2}, {true, false, 2}, {true, false, 6}, {true, false, 2}}), 1);
}

}  // namespace
