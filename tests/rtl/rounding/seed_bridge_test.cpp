// A seed that is written in the bus clock domain reaches every engine, whatever its clock and whether it
// runs: none is lost, and an engine that stands still gets one edge for it.
#include <gtest/gtest.h>

#include "Vseed_bridge_tb.h"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"

namespace trnsim::test {
namespace {

constexpr unsigned Engines = 4;
constexpr unsigned AllEngines = (1u << Engines) - 1;
constexpr int SlowestPeriod = 8;  // period of the slowest engine, in core cycles

class Bench {
  public:
    Bench() {
        top_.rst_ni = 1;
        top_.eval();
        reset();
        for (int i = 0; i < 16; ++i) step();
    }

    void reset() {
        top_.rst_ni = 0;
        step();
        top_.rst_ni = 1;
    }

    // Makes one core cycle; returns true if it ended with an edge of the bus clock.
    bool step() {
        top_.clk_i = 0;
        top_.eval();
        const bool bus_edge = top_.bus_tick_o;
        top_.clk_i = 1;
        top_.eval();
        return bus_edge;
    }
    void bus_cycle() {
        while (!step()) {
        }
    }
    // Makes a pulse of one bus cycle, as control does.
    void write(std::uint32_t seed) {
        top_.valid_i = 1;
        top_.seed_i = seed;
        bus_cycle();
        top_.valid_i = 0;
    }
    void set_busy(unsigned engines) { top_.busy_i = static_cast<std::uint8_t>(engines); }
    unsigned pending() const { return top_.awake_o; }
    std::uint32_t seed(unsigned engine) const { return top_.seed_o[engine]; }
    std::uint32_t edges(unsigned engine) const { return top_.edges_o[engine]; }

  private:
    Model<Vseed_bridge_tb> top_;
};

TEST(SeedBridge, AnEngineThatStandsStillGetsOneEdge) {
    Bench bench;
    bench.bus_cycle();
    for (std::uint32_t i = 1; i <= 100; ++i) {
        bench.write(i * 0x01234567u);
        EXPECT_EQ(bench.pending(), AllEngines);  // this keeps the core's clock running
        for (int cycle = 0; cycle < SlowestPeriod + static_cast<int>(i % 3); ++cycle) bench.step();
        for (unsigned e = 0; e < Engines; ++e) {
            ASSERT_EQ(bench.seed(e), i * 0x01234567u);
            ASSERT_EQ(bench.edges(e), i);
        }
        ASSERT_EQ(bench.pending(), 0u);
        bench.bus_cycle();
    }
}

TEST(SeedBridge, NoSeedIsLost) {
    std::mt19937_64 random = generator();
    Bench bench;
    bench.bus_cycle();
    const std::uint64_t rounds = 5000 * scale();
    for (std::uint64_t i = 0; i < rounds; ++i) {
        std::uint32_t last = 0;
        for (std::uint64_t writes = 1 + random() % 4; writes != 0; --writes) {
            bench.set_busy(static_cast<unsigned>(random() & AllEngines));
            last = static_cast<std::uint32_t>(random());
            bench.write(last);
            for (std::uint64_t gap = random() % 3; gap != 0; --gap) bench.bus_cycle();
        }
        for (int cycle = 0; cycle < SlowestPeriod; ++cycle) bench.step();
        for (unsigned e = 0; e < Engines; ++e) ASSERT_EQ(bench.seed(e), last) << "engine " << e;
        bench.bus_cycle();
    }
}

TEST(SeedBridge, ResetDropsASeed) {
    Bench bench;
    bench.bus_cycle();
    bench.write(1);
    ASSERT_EQ(bench.pending(), AllEngines);
    bench.reset();
    EXPECT_EQ(bench.pending(), 0u);
    for (int cycle = 0; cycle < 2 * SlowestPeriod; ++cycle) bench.step();
    for (unsigned e = 0; e < Engines; ++e) EXPECT_EQ(bench.edges(e), 0u);
}

}  // namespace
}  // namespace trnsim::test
