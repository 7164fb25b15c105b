// Semaphores and events with many users, and the limit of outstanding updates.
#include <gtest/gtest.h>

#include "common/random.hpp"
#include "rtl/control/control_bench.hpp"

namespace trnsim::test {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::SeqState;
using isa::UpdateMode;
using isa::WaitMode;

constexpr std::uint32_t Events = 0x2700000, SemRead = 0x2701000, SemSet = 0x2701400, SemInc = 0x2701800,
                        SemDec = 0x2701c00;

TEST(ControlSemaphore, NothingIsLostUnderContention) {
    std::mt19937_64 random = generator();
    for (std::uint64_t round = 0; round < 4 * scale(); ++round) {
        ControlBench bench({.seed = random(), .engine_latency = 1 + static_cast<unsigned>(random() % 4)});
        // All engines add to one semaphore as fast as they can.
        unsigned expected = 0;
        for (int e = 0; e < Engines; ++e) {
            Program program;
            for (int i = 0; i < 300; ++i) {
                const Instruction instruction = has_data_path(e) ? data_path(e) : Instruction(Opcode::Nop);
                program.push_back(then_update(instruction, 77, UpdateMode::Add, 1 + e));
                expected += 1 + e;
            }
            program.push_back(halt());
            bench.run_program(e, program, 0x100000ull * (e + 1));
        }
        unsigned increments = 0;
        bench.traffic = [&]() -> std::optional<Access> {
            if (increments == 2000 || random() % 4 == 0) return std::nullopt;
            ++increments;
            return Access{true, SemInc + 77 * 4, 5};
        };
        ASSERT_TRUE(bench.finish());
        while (increments < 2000) bench.cycle();
        bench.traffic = nullptr;
        bench.cycles(20);
        EXPECT_EQ(bench.read(SemRead + 77 * 4), expected + 2000 * 5);
    }
}

// Four engines complete in the same cycle, again and again.
TEST(ControlSemaphore, SimultaneousCompletions) {
    ControlBench bench({.engine_latency = 1});
    for (int e = 0; e < 4; ++e) {
        Program program(60, then_update(data_path(e), 5, UpdateMode::Add, 1));
        program.push_back(halt());
        bench.hold[e] = true;
        bench.run_program(e, program, 0x100000ull * (e + 1));
    }
    bench.cycles(1000);
    EXPECT_EQ(bench.read(SemRead + 20), 0u);
    const std::uint64_t start = bench.now();
    bench.hold = {};
    while (bench.semaphore(5) < 240) bench.cycle();
    EXPECT_LE(bench.now() - start, 250u) << "one update a cycle";
    ASSERT_TRUE(bench.finish());
    EXPECT_EQ(bench.read(SemRead + 20), 240u);
}

TEST(ControlSemaphore, SixtyFourOutstanding) {
    for (int engine = 0; engine < 4; ++engine) {
        ControlBench bench({.engine_latency = 1});
        Program program(200, then_update(data_path(engine), 1, UpdateMode::Add, 1));
        program.push_back(halt());
        bench.hold[engine] = true;
        bench.run_program(engine, program, 0x4000);
        bench.cycles(2000);
        EXPECT_EQ(bench.issued[engine], 64u);
        EXPECT_EQ(bench.state(engine), SeqState::WaitEngine);
        bench.hold[engine] = false;
        ASSERT_TRUE(bench.finish());
        EXPECT_EQ(bench.issued[engine], 200u);
        EXPECT_EQ(bench.longest_queue[engine], 64u);
        EXPECT_EQ(bench.read(SemRead + 4), 200u);
    }
}

TEST(ControlSemaphore, Aliases) {
    ControlBench bench({});
    for (unsigned i = 0; i < 256; ++i) EXPECT_EQ(bench.read(SemRead + i * 4), 0u);
    for (unsigned i = 0; i < 256; ++i) bench.write(SemSet + i * 4, i * 0x01010101);
    for (unsigned i = 0; i < 256; ++i) bench.write(SemInc + i * 4, i ^ 0xff);
    for (unsigned i = 0; i < 256; ++i) bench.write(SemDec + i * 4, i / 2);
    for (unsigned i = 0; i < 256; ++i) {
        const std::uint32_t expected = i * 0x01010101 + (i ^ 0xff) - i / 2;
        for (const std::uint32_t alias : {SemRead, SemSet, SemInc, SemDec})
            EXPECT_EQ(bench.read(alias + i * 4), expected);
    }
    EXPECT_TRUE(bench.access({true, SemRead + 8, 1}).error) << "the read alias is read-only";
}

TEST(ControlSemaphore, Events) {
    ControlBench bench({});
    for (unsigned i = 0; i < 256; ++i) EXPECT_EQ(bench.read(Events + i * 4), 0u);
    for (unsigned i = 0; i < 256; ++i) bench.write(Events + i * 4, ~i * 77);
    for (unsigned i = 0; i < 256; ++i) EXPECT_EQ(bench.read(Events + i * 4), ~i * 77);
    for (unsigned i = 0; i < 256; i += 2) bench.write(Events + i * 4, 0);
    for (unsigned i = 0; i < 256; i += 2) bench.write(Events + i * 4, 1);
    EXPECT_FALSE(bench.error());
    bench.reset();
    for (unsigned i = 0; i < 256; ++i) EXPECT_EQ(bench.read(Events + i * 4), 0u) << "zero again after reset";
}

// Each wait mode is tested on both sides of the bound; a waiting engine does not delay the others.
TEST(ControlSemaphore, WaitModes) {
    struct Wait {
        WaitMode mode;
        std::uint32_t bound, before, after;
    };
    for (const Wait& wait :
         {Wait{WaitMode::Ge, 5, 4, 5}, Wait{WaitMode::Ge, 5, 0, 0xffffffff}, Wait{WaitMode::Eq, 5, 4, 5},
          Wait{WaitMode::Eq, 5, 6, 5}, Wait{WaitMode::Le, 5, 6, 5}, Wait{WaitMode::Le, 5, 0x80000000, 0},
          Wait{WaitMode::Ge, 0xffffff, 0xfffffe, 0x1000000},
          Wait{WaitMode::Eq, 0xffffff, 0x1ffffff, 0xffffff}}) {
        ControlBench bench({});
        bench.write(SemSet + 255 * 4, wait.before);
        bench.run_program(0, {data_path(0), wait_for(data_path(0), 255, wait.mode, wait.bound), halt()},
                          0x4000);
        bench.run_program(1, Program{data_path(1), data_path(1), halt()}, 0x8000);
        bench.cycles(300);
        EXPECT_EQ(bench.state(0), SeqState::WaitSem);
        EXPECT_EQ(bench.state(1), SeqState::Halted);
        EXPECT_EQ(bench.engine_register(0, 0x10), 1u);
        bench.cycle();
        EXPECT_TRUE(bench.idle());
        bench.write(SemSet + 255 * 4, wait.after);
        EXPECT_TRUE(bench.finish(100));
        EXPECT_EQ(bench.completed[0], 3u);
    }
}

// An update by a control instruction is in force before the next instruction looks at the semaphore.
TEST(ControlSemaphore, ControlUpdatesAreInOrder) {
    ControlBench bench({});
    bench.write(SemSet + 4, 1);
    bench.run_program(2,
                      {then_update(Instruction(Opcode::EventSemaphore), 1, UpdateMode::Set, 0),
                       wait_for(data_path(2), 1, WaitMode::Ge, 1), halt()},
                      0x4000);
    bench.cycles(300);
    EXPECT_EQ(bench.issued[2], 0u);
    EXPECT_EQ(bench.state(2), SeqState::WaitSem);
}

}  // namespace
}  // namespace trnsim::test
