// The classes of a core's cycles: each cycle is in exactly one, and programs are built to wait for one thing.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/common/random.hpp"
#include "tests/common/riscv/encode.hpp"
#include "tests/common/riscv/random_program.hpp"
#include "tests/rtl/gpsimd/model_bench.hpp"

namespace trnsim::test {
namespace {

using tlm::GpsimdClass;
using tlm::GpsimdCoreCounters;

constexpr unsigned Repeats = 200;
constexpr std::uint32_t Data = TcmBase + 0x8000;

// Counts again, from the core's report of each cycle.
struct Recount : tlm::GpsimdObserver {
    void cycle(unsigned, const tlm::GpsimdCycle& cycle, const tlm::GpsimdView&) override {
        ++counters.cycles;
        ++counters.in_class[static_cast<std::size_t>(cycle.which)];
        retired += cycle.retired ? 1 : 0;
        traps += cycle.trapped ? 1 : 0;
    }
    GpsimdCoreCounters counters;
    std::uint64_t retired = 0, traps = 0;
};

TEST(CycleClasses, EachCycleIsInOne) {
    for (const bool stalls : {false, true}) {
        auto random = generator();
        ModelBench bench(1, seed(), stalls);
        Recount recount;
        bench.cores().observe(&recount);
        bench.load(0, random_program(random, {}, 3000).words);
        ASSERT_TRUE(bench.run(1));
        for (int k = 0; k < 10; ++k) bench.step(1);  // asleep
        const GpsimdCoreCounters counters = bench.cores().counters(0);
        EXPECT_EQ(std::accumulate(counters.in_class.begin(), counters.in_class.end(), std::uint64_t{0}),
                  counters.cycles);
        EXPECT_EQ(counters.cycles, recount.counters.cycles);
        EXPECT_EQ(counters.in_class, recount.counters.in_class);
        EXPECT_EQ(counters.instructions(), recount.retired);
        EXPECT_EQ(counters.in(GpsimdClass::Trap), recount.traps);
        for (std::size_t c = 0; c < tlm::GpsimdClasses; ++c)
            EXPECT_GT(counters.in_class[c], 0u) << tlm::GpsimdClassNames[c];
    }
}

// Runs a program that turns vectors on and repeats the body; x8 and x9 point to data in the TCM and in the
// slice.
GpsimdCoreCounters run(const std::vector<std::uint32_t>& body, bool stalls = false) {
    using namespace encode;
    std::vector<std::uint32_t> words{
        lui(1, 0x6600), addi(1, 1, 0x600),        csrrs(0, 0x300, 1), lui(8, Data),        lui(9, SliceBase),
        addi(10, 0, 7), lui(2, TcmBase + 0x7000), csrrw(0, 0x305, 2), vsetvli(4, 0, 2, 3),
    };
    for (unsigned k = 0; k < Repeats; ++k) words.insert(words.end(), body.begin(), body.end());
    words.push_back(Wfi);
    words.resize(0x7000 / 4);
    // The trap handler returns to the next instruction.
    for (const std::uint32_t word : {csrrs(3, 0x341, 0), addi(3, 3, 4), csrrw(0, 0x341, 3), Mret})
        words.push_back(word);
    words.resize(TcmBytes / 4);
    ModelBench bench(1, seed(), stalls);
    bench.load(0, words);
    EXPECT_TRUE(bench.run(1));
    return bench.cores().counters(0);
}

// Expects this class to keep instructions from retiring in most cycles, and in at least `least` cycles a
// repeat.
void expect_mostly(const GpsimdCoreCounters& counters, GpsimdClass which, unsigned least) {
    const auto place = static_cast<std::size_t>(which);
    for (std::size_t c = 1; c < tlm::GpsimdClasses; ++c) {
        if (c == place) continue;
        EXPECT_LT(counters.in_class[c], counters.in_class[place]) << tlm::GpsimdClassNames[c];
    }
    EXPECT_GE(counters.in_class[place], least * Repeats);
}

TEST(CycleClasses, WaitsForAnOperand) {
    using namespace encode;
    expect_mostly(run({i_type(0x03, 2, 5, 8, 0), addi(6, 5, 1)}), GpsimdClass::Operand, 2);
}

TEST(CycleClasses, WaitsForInstructions) {
    using namespace encode;
    expect_mostly(run({branch(0, 0, 0, 8), addi(5, 5, 1)}), GpsimdClass::Fetch, 2);
}

TEST(CycleClasses, WaitsForTheVectorUnit) {
    using namespace encode;
    const std::uint32_t add = vector_op(0, 0, 8, 16, 24, 1);
    expect_mostly(run({add, add}), GpsimdClass::Vector, 8);
}

TEST(CycleClasses, WaitsForMemory) {
    using namespace encode;
    std::vector<std::uint32_t> stores(8, s_type(0x23, 2, 9, 10, 0));
    expect_mostly(run(stores, true), GpsimdClass::Memory, 1);
}

TEST(CycleClasses, WaitsForAUnit) {
    using namespace encode;
    const auto divide = [](std::uint32_t rd) { return r_type(0x33, 4, 1, rd, 10, 10); };
    expect_mostly(run({divide(5), divide(6)}), GpsimdClass::Unit, 50);
}

TEST(CycleClasses, Traps) {
    constexpr std::uint32_t Ecall = 0x73;
    EXPECT_EQ(run({Ecall}).in(GpsimdClass::Trap), Repeats);
}

TEST(CycleClasses, Sleeps) {
    ModelBench bench(1, seed(), false);
    bench.load(0, std::vector<std::uint32_t>(16, encode::Wfi));
    ASSERT_TRUE(bench.run(1));
    const GpsimdCoreCounters before = bench.cores().counters(0);
    for (unsigned k = 0; k < Repeats; ++k)
        bench.step(1, k % 2);  // the interrupt is off: there are edges, but no instruction
    const GpsimdCoreCounters after = bench.cores().counters(0);
    EXPECT_EQ(after.instructions(), before.instructions());
    EXPECT_GT(after.cycles, before.cycles);
    EXPECT_EQ(after.in(GpsimdClass::Sleep)-before.in(GpsimdClass::Sleep), after.cycles - before.cycles);
}

}  // namespace
}  // namespace trnsim::test
