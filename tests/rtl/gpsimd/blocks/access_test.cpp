// Beats of the bus for the memories of GpSimd cores, one at a time, between accesses of the engine.
#include <gtest/gtest.h>

#include "tests/rtl/gpsimd/blocks/access_bench.hpp"

namespace trnsim::test {
namespace {

TEST(GpsimdAccess, ReachesEveryCorner) {
    AccessBench on;
    for (std::uint32_t core = 0; core < Cores; ++core) {
        for (const std::uint32_t byte : {0u, 32u, 64u, 96u, 128u, 0x1fc0u, 0x8000u, TcmBytes - 32}) {
            const std::uint32_t port = byte / 32 % Ports;
            on.ask_write(port, address_of(core, byte));
            on.finish();
            on.ask_read(1 - port, address_of(core, byte));
            on.finish();
        }
    }
    EXPECT_TRUE(on.same());
}

// Addresses of other memories are ignored.
TEST(GpsimdAccess, LeavesOtherAddressesAlone) {
    AccessBench on;
    for (const std::uint32_t address :
         {0u, 5u << 18 | 64u, Window - 128, Window + Cores * TcmBytes, 0x2000000u}) {
        for (std::uint32_t p = 0; p < Ports; ++p) {
            on.ask_read(p, address);
            on.ask_write(p, address);
        }
        for (int k = 0; k < 40; ++k) on.bus_step();
        for (std::uint32_t p = 0; p < Ports; ++p) on.reads[p].asks = on.writes[p].asks = false;
    }
    EXPECT_TRUE(on.order.empty());
    EXPECT_EQ(on.engine_edges, 0u);
    EXPECT_EQ(on.window_edges, 0u) << "nothing has an edge";
    EXPECT_TRUE(on.same());
}

TEST(GpsimdAccess, HasNoEdgeWithoutAnAccess) {
    AccessBench on;
    on.ask_read(1, address_of(2, 64));
    on.finish();
    const auto edges = on.engine_edges, window_edges = on.window_edges;
    EXPECT_GT(edges, 0u);
    for (int k = 0; k < 40; ++k) on.bus_step();
    EXPECT_EQ(on.engine_edges, edges);
    EXPECT_EQ(on.window_edges, window_edges);
}

TEST(GpsimdAccess, TakesNothingWhileItIsHeld) {
    AccessBench on;
    on.hold = true;
    for (std::uint32_t p = 0; p < Ports; ++p) on.ask_write(p, address_of(p, 256));
    for (int k = 0; k < 40; ++k) on.bus_step();
    EXPECT_TRUE(on.order.empty());
    EXPECT_EQ(on.model().pending_o, 0);
    on.hold = false;
    on.finish();
    // A beat that has been taken is still finished.
    on.ask_write(0, address_of(0, 512));
    on.bus_step();
    on.hold = true;
    on.ask_write(1, address_of(0, 512));
    for (int k = 0; k < 40; ++k) on.bus_step();
    EXPECT_FALSE(on.writes[0].asks);
    EXPECT_TRUE(on.writes[1].asks);
}

// Two ports have four directions.
TEST(GpsimdAccess, ServesThePortsInTurns) {
    AccessBench on;
    while (on.order.size() < 40) {
        for (std::uint32_t p = 0; p < Ports; ++p) {
            if (!on.writes[p].asks) on.ask_write(p, address_of(p, 128 * p));
            if (!on.reads[p].asks) on.ask_read(p, address_of(2 - p, 128 * p));
        }
        on.bus_step();
        ASSERT_LT(on.bus_cycles, 1000u);
    }
    for (std::uint32_t k = 0; k < on.order.size(); ++k) EXPECT_EQ(on.order[k], k % 4);
}

// Checks the bus cycles of a beat, with as many edges of the engine and with twice as many.
TEST(GpsimdAccess, TakesSoManyCycles) {
    constexpr std::uint64_t Parts = BusBytes > MemoryBytes ? BusBytes / MemoryBytes : 1;
    AccessBench same({2, 2}), faster({2, 1});
    for (std::uint32_t k = 0; k < 3; ++k) {
        same.ask_write(0, address_of(k, 0));
        EXPECT_EQ(same.finish(), 2 + Parts);
        same.ask_read(0, address_of(k, 0));
        EXPECT_EQ(same.finish(), 2 + 4 * Parts);
        faster.ask_write(0, address_of(k, 0));
        EXPECT_EQ(faster.finish(), 2 + Parts / 2);
        faster.ask_read(0, address_of(k, 0));
        EXPECT_EQ(faster.finish(), 2 + 2 * Parts);
    }
}

// A reset ends a beat in any state; the next one begins at once and is complete.
TEST(GpsimdAccess, AResetEndsABeat) {
    constexpr std::uint64_t Parts = BusBytes > MemoryBytes ? BusBytes / MemoryBytes : 1;
    for (const std::uint32_t before : {0u, 1u, 2u}) {
        for (std::uint32_t cycles = 1; cycles < 2 + 4 * Parts; ++cycles) {
            SCOPED_TRACE(cycles);
            AccessBench on;
            for (std::uint32_t k = 0; k < before; ++k) {
                on.ask_write(0, address_of(0, 0));
                on.finish();
            }
            on.ask_read(1, address_of(2, 128));
            for (std::uint32_t k = 0; k < cycles; ++k) on.bus_step();
            on.reset();
            EXPECT_EQ(on.model().pending_o, 0);
            on.ask_write(0, address_of(1, 256));
            EXPECT_EQ(on.finish(), 2 + Parts);
            on.ask_read(0, address_of(1, 256));
            EXPECT_EQ(on.finish(), 2 + 4 * Parts);
            EXPECT_TRUE(on.same());
        }
    }
}

// The engine: it accesses some of the cores at once, at beats of its own, then pauses. Its accesses go first.
class Engine {
  public:
    static constexpr std::uint32_t FirstByte = 0x2000, Beats = 16;

    explicit Engine(AccessBench& bench) : on_(bench) {
        on_.engine_edge = [this](std::uint32_t taken, std::uint32_t answered) { edge(taken, answered); };
    }
    // Called once a bus cycle: an engine without an access may have no edges.
    void step() {
        if (!on_.own.active && pause_-- == 0) begin();
    }
    bool idle() const { return !on_.own.active; }
    std::uint64_t done = 0, longest = 0;

  private:
    void begin() {
        OwnAccess& own = on_.own;
        own.active = true;
        own.write = on_.random()() % 2 == 0;
        own.cores = 1 + static_cast<std::uint32_t>(on_.random()() % 7);
        own.beat = FirstByte / MemoryBytes + static_cast<std::uint32_t>(on_.random()() % Beats);
        for (auto& byte : own.data) byte = static_cast<std::uint8_t>(on_.random()());
        own.strobe = on_.random()();
        expected_ = 0;
        edges_ = 0;
    }

    void edge(std::uint32_t taken, std::uint32_t answered) {
        OwnAccess& own = on_.own;
        ASSERT_EQ(taken & ~(own.active ? own.cores : 0), 0u) << "nobody has asked";
        ASSERT_EQ(answered & ~expected_, 0u) << "an answer to somebody else";
        if (!own.active) return;
        ++edges_;
        for (std::uint32_t core = 0; core < Cores; ++core) {
            const std::uint32_t bit = 1u << core, at = own.beat * MemoryBytes;
            if ((answered & bit) != 0) {
                ASSERT_TRUE(
                    std::equal(on_.answer(core).begin(), on_.answer(core).end(), &on_.expected(core)[at]));
                expected_ &= ~bit;
            }
            if ((taken & bit) == 0) continue;
            if (!own.write) {
                expected_ |= bit;
                continue;
            }
            for (std::uint32_t k = 0; k < MemoryBytes; ++k)
                if ((own.strobe >> k & 1) != 0) on_.expected(core)[at + k] = own.data[k];
        }
        own.cores &= ~taken;
        if ((own.cores | expected_) != 0) return;
        own.active = false;
        pause_ = on_.random()() % 4 == 0 ? 0 : on_.random()() % 30;
        longest = std::max(longest, edges_);
        ++done;
    }

    AccessBench& on_;
    std::uint64_t pause_ = 5, edges_ = 0;
    std::uint32_t expected_ = 0;
};

class GpsimdAccessRandom : public testing::TestWithParam<Timing> {};
INSTANTIATE_TEST_SUITE_P(Clocks, GpsimdAccessRandom,
                         testing::Values(Timing{2, 2, 100}, Timing{2, 1, 60}, Timing{1, 1, 80},
                                         Timing{2, 5, 70}, Timing{3, 2, 30}));

TEST_P(GpsimdAccessRandom, EverythingMeanwhile) {
    AccessBench on(GetParam());
    Engine engine(on);
    auto& random = on.random();
    const auto address = [&] {
        const bool near = random() % 2 == 0;  // few places, so that accesses meet what others wrote
        auto byte = static_cast<std::uint32_t>(near ? random() % 512 : random() % TcmBytes);
        if (byte / 1024 == Engine::FirstByte / 1024) byte += 1024;
        return address_of(static_cast<std::uint32_t>(random() % Cores), byte);
    };
    const std::uint64_t accesses = 1500 * scale();
    while (on.order.size() < accesses) {
        for (std::uint32_t p = 0; p < Ports; ++p) {
            if (!on.writes[p].asks && random() % 8 == 0) on.ask_write(p, address());
            if (!on.reads[p].asks && random() % 8 == 0) on.ask_read(p, address());
        }
        if (random() % 64 == 0) on.hold = random() % 4 == 0;
        engine.step();
        on.bus_step();
        ASSERT_LT(on.bus_cycles, 200 * accesses) << "it does not go on";
        ASSERT_FALSE(HasFailure());
    }
    on.hold = false;
    on.finish();
    for (int k = 0; k < 1000 && !engine.idle(); ++k) on.bus_step();
    EXPECT_TRUE(engine.idle());
    EXPECT_TRUE(on.same());
    EXPECT_GT(engine.done, accesses / 50);
    EXPECT_LT(engine.longest, 200u);
}

}  // namespace
}  // namespace trnsim::test
