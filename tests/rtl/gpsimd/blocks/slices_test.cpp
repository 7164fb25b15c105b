// Three GpSimd cores share the port of SBUF with Vector: when they claim it, keep it and give it back, and
// how their accesses reach it. The test plays the cores and the port.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "Vgpsimd_slices_tb.h"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"

namespace trnsim::test {
namespace {

constexpr unsigned Cores = 3, Rows = 4096, Turn = 64, Gap = 8, Linger = 16;
using Beats = std::array<unsigned, Cores>;

std::uint64_t packed(const Beats& beats) {
    std::uint64_t value = 0;
    for (unsigned k = 0; k < Cores; ++k) value |= std::uint64_t{beats[k]} << 16 * k;
    return value;
}
Beats unpacked(std::uint64_t value) {
    Beats beats{};
    for (unsigned k = 0; k < Cores; ++k) beats[k] = static_cast<unsigned>(value >> 16 * k & 0xffff);
    return beats;
}

// Inputs from the cores and the port in a cycle. Sets of cores have a bit for each core.
struct Inputs {
    unsigned reads = 0, writes = 0;
    bool granted = false, hold = false;
    Beats from{}, to{};

    [[nodiscard]] bool wanted() const { return (reads | writes) != 0; }
};

// Outputs before the edge of the cycle.
struct Outputs {
    bool ready, needs, uses, active;
    unsigned answered, re, exists, we;
    Beats raddr, waddr;
};

class Slices {
  public:
    Slices() {
        top_.rst_ni = 1;
        top_.eval();
        reset();
    }

    // Returns the outputs during a reset, before the next edge and after it.
    std::array<Outputs, 2> reset(const Inputs& in = {}) {
        top_.rst_ni = 0;
        const std::array<Outputs, 2> during{step(in), step(in)};
        top_.rst_ni = 1;
        return during;
    }

    Outputs step(const Inputs& in) {
        top_.read_valid_i = static_cast<std::uint8_t>(in.reads);
        top_.write_valid_i = static_cast<std::uint8_t>(in.writes);
        top_.read_beat_i = packed(in.from);
        top_.write_beat_i = packed(in.to);
        top_.granted_i = in.granted;
        top_.hold_i = in.hold;
        top_.clk_i = 0;
        top_.eval();
        const Outputs out{top_.ready_o != 0,     top_.needs_o != 0, top_.uses_o != 0,
                          top_.active_o != 0,    top_.rvalid_o,     top_.re_o,
                          top_.exists_o,         top_.we_o,         unpacked(top_.raddr_o),
                          unpacked(top_.waddr_o)};
        top_.clk_i = 1;
        top_.eval();
        return out;
    }

    // Takes the port with one access, in a new turn.
    void take() {
        EXPECT_FALSE(step({.reads = 1, .granted = true}).uses);
        EXPECT_TRUE(step({.reads = 1, .granted = true}).uses);
    }

    // Returns the number of cycles with these inputs in which the port is still used.
    unsigned kept(const Inputs& in) {
        unsigned cycles = 0;
        while (step(in).uses && cycles < 1000) ++cycles;
        return cycles;
    }

  private:
    Model<Vgpsimd_slices_tb> top_;
};

TEST(GpsimdSlices, ClaimNothingWithoutAnAccess) {
    Slices slices;
    for (const bool granted : {false, true}) {
        for (int cycle = 0; cycle < 40; ++cycle) {
            const Outputs out = slices.step({.granted = granted});
            ASSERT_FALSE(out.needs || out.uses || out.ready || out.active);
        }
    }
}

// An access claims the port in its own cycle, even if another engine has it.
TEST(GpsimdSlices, WaitForThePort) {
    for (unsigned core = 0; core < Cores; ++core) {
        for (const bool write : {false, true}) {
            Slices slices;
            Inputs in{.reads = write ? 0 : 1u << core, .writes = write ? 1u << core : 0};
            for (int cycle = 0; cycle < 100; ++cycle) {
                const Outputs out = slices.step(in);
                ASSERT_TRUE(out.needs && out.active);
                ASSERT_FALSE(out.uses || out.ready);
                ASSERT_EQ(out.re | out.we | out.answered, 0u);
            }
            in.granted = true;
            EXPECT_FALSE(slices.step(in).ready);
            const Outputs out = slices.step(in);
            EXPECT_TRUE(out.ready && out.uses && out.needs);
            EXPECT_EQ(out.re, in.reads);
            EXPECT_EQ(out.we, in.writes);
            in.reads = in.writes = 0;
            EXPECT_EQ(slices.step(in).answered, write ? 0 : 1u << core);
            EXPECT_EQ(slices.step(in).answered, 0u);
        }
    }
}

TEST(GpsimdSlices, KeepAnIdlePortForAWhile) {
    Slices slices;
    slices.take();
    EXPECT_EQ(slices.kept({.granted = true}), Linger + 1);
    EXPECT_FALSE(slices.step({.granted = true}).needs);
    // An access comes in the last of these cycles, and then the same follows again.
    slices.take();
    for (unsigned cycle = 0; cycle < Linger; ++cycle) ASSERT_TRUE(slices.step({.granted = true}).uses);
    EXPECT_TRUE(slices.step({.writes = 4, .granted = true}).uses);
    EXPECT_EQ(slices.kept({.granted = true}), Linger + 1);
}

TEST(GpsimdSlices, GiveAnIdlePortBackSoonerWhenVectorWaits) {
    Slices slices;
    slices.take();
    EXPECT_EQ(slices.kept({.granted = true, .hold = true}), Gap + 1);
    // A port that has been idle for longer is given back at once.
    slices.take();
    for (unsigned cycle = 0; cycle < Gap + 2; ++cycle) ASSERT_TRUE(slices.step({.granted = true}).uses);
    EXPECT_EQ(slices.kept({.granted = true, .hold = true}), 1u);
}

TEST(GpsimdSlices, GiveAUsedPortBackAfterATurn) {
    Slices slices;
    slices.take();
    EXPECT_EQ(slices.kept({.writes = 2, .granted = true, .hold = true}), Turn);
    // If Vector comes later, it waits for the rest of the turn, or not at all.
    for (const unsigned before : {10u, Turn - 2, Turn, 200u}) {
        slices.step({});
        slices.take();
        for (unsigned cycle = 0; cycle < before; ++cycle)
            ASSERT_TRUE(slices.step({.reads = 1, .granted = true}).uses);
        EXPECT_EQ(slices.kept({.reads = 1, .granted = true, .hold = true}),
                  std::max(Turn, before + 1) - before)
            << before;
    }
}

// The grant lasts a cycle longer.
TEST(GpsimdSlices, DoNotTakeThePortBackFromVector) {
    Slices slices;
    slices.take();
    EXPECT_EQ(slices.kept({.writes = 1, .granted = true, .hold = true}), Turn);
    for (int cycle = 0; cycle < 10; ++cycle) {
        const Outputs out = slices.step({.writes = 1, .granted = true, .hold = true});
        ASSERT_FALSE(out.uses);
        ASSERT_TRUE(out.needs);
    }
    for (int cycle = 0; cycle < 10; ++cycle) ASSERT_FALSE(slices.step({.writes = 1}).uses);
    slices.take();
}

// A reset ends a turn whatever the cores and the port do; the next turn is complete.
TEST(GpsimdSlices, AResetEndsATurn) {
    Slices slices;
    slices.take();
    for (unsigned cycle = 0; cycle < Turn - 2; ++cycle)
        ASSERT_TRUE(slices.step({.reads = 7, .granted = true}).uses);
    for (const Outputs& out : slices.reset({.reads = 5, .writes = 2, .granted = true, .hold = true})) {
        EXPECT_FALSE(out.ready || out.uses);
        EXPECT_EQ(out.re | out.we | out.answered, 0u);
        EXPECT_TRUE(out.needs && out.active) << "the cores have accesses";
    }
    const Outputs after = slices.step({.granted = true});
    EXPECT_FALSE(after.ready || after.uses || after.needs || after.active);
    EXPECT_EQ(after.answered, 0u);
    slices.take();
    EXPECT_EQ(slices.kept({.writes = 2, .granted = true, .hold = true}), Turn);
}

TEST(GpsimdSlices, HaveTheRowsOfSbuf) {
    Slices slices;
    slices.take();
    for (unsigned core = 0; core < Cores; ++core) {
        for (const unsigned row : {0u, 1u, Rows - 1, Rows, Rows + 1, 8 * Rows, 12 * Rows - 1}) {
            Inputs in{.reads = 7, .writes = 7, .granted = true, .from = {7, 8, 9}, .to = {10, 11, 12}};
            in.from[core] = row;
            in.to[core] = row;
            const Outputs out = slices.step(in);
            EXPECT_EQ(out.re, 7u);
            EXPECT_EQ(out.exists, row < Rows ? 7u : 7u & ~(1u << core)) << row;
            EXPECT_EQ(out.we, out.exists);
            for (unsigned k = 0; k < Cores; ++k) {
                if (k == core && row >= Rows) continue;
                EXPECT_EQ(out.raddr[k], in.from[k]);
                EXPECT_EQ(out.waddr[k], in.to[k]);
            }
        }
    }
}

// Cores and a port with random behaviour follow the rules for the start of a turn and for its last access.
TEST(GpsimdSlices, FollowTheRule) {
    auto random = generator();
    Slices slices;
    Inputs in;
    bool ready = false;
    unsigned answered = 0, wish = 1;
    std::uint64_t begun = 0, last = 0, turns = 0;
    for (std::uint64_t cycle = 0; cycle < 100'000 * scale(); ++cycle) {
        if (random() % 50 == 0) wish = static_cast<unsigned>(random() % 24);
        in.reads = static_cast<unsigned>(wish == 0 ? random() : random() % wish == 0 ? random() : 0) & 7;
        in.writes = static_cast<unsigned>(wish == 0 ? random() : random() % wish == 0 ? random() : 0) & 7;
        for (unsigned k = 0; k < Cores; ++k) {
            in.from[k] = static_cast<unsigned>(random() % (Rows + 16));
            in.to[k] = static_cast<unsigned>(random() % (Rows + 16));
        }
        // The grant stays while the cores use the port; a hold comes only with a grant.
        if (!ready) in.granted = random() % 4 != 0;
        if (!in.granted)
            in.hold = false;
        else if (random() % 16 == 0)
            in.hold = !in.hold;

        const Outputs out = slices.step(in);
        ASSERT_EQ(out.ready, ready) << "cycle " << cycle;
        ASSERT_EQ(out.uses, ready);
        ASSERT_EQ(out.needs, ready || in.wanted());
        ASSERT_EQ(out.answered, answered);
        ASSERT_EQ(out.active, ready || in.wanted() || answered != 0);
        ASSERT_EQ(out.re, ready ? in.reads : 0);
        for (unsigned k = 0; k < Cores; ++k) {
            ASSERT_EQ(out.we >> k & 1,
                      static_cast<unsigned>(ready && (in.writes >> k & 1) != 0 && in.to[k] < Rows));
            ASSERT_EQ(out.exists >> k & 1, static_cast<unsigned>(in.from[k] < Rows));
        }

        answered = ready ? in.reads : 0;
        const bool had = ready;
        const std::uint64_t idle = cycle - last - 1;
        ready = in.granted && (in.wanted() || (had && idle < Linger));
        if (in.hold && (!had || idle >= Gap || cycle - begun >= Turn)) ready = false;
        if (in.wanted()) last = cycle;
        if (ready && !had) {
            begun = cycle + 1;
            ++turns;
        }
    }
    EXPECT_GT(turns, 1000u);
}

}  // namespace
}  // namespace trnsim::test
