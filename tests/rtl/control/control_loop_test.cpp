// Programs with branches: loops, targets all over memory, random nested programs on all engines. The bench
// compares every instruction with the model as it is issued; here the ends are compared as well.
#include <gtest/gtest.h>

#include "common/random.hpp"
#include "rtl/control/control_bench.hpp"
#include "rtl/control/loop_programs.hpp"

namespace trnsim::test {
namespace {

using isa::BranchCond;
using isa::Instruction;
using isa::Opcode;
using isa::RegOp;
using isa::UpdateMode;

constexpr int Vector = 1, Scalar = 2, Sync = 4;
constexpr std::uint32_t SemRead = 0x2701000, SemInc = 0x2701800;

TEST(ControlLoop, NestedLoops) {
    for (int engine = 0; engine < Engines; ++engine) {
        ControlBench bench({});
        // r1: sum of 100 i + j for i in 0..5, j in 0..7
        const Program program{move_immediate(2, 0),
                              move_immediate(3, 0),
                              alu_immediate(RegOp::Mul, 4, 2, 100),
                              alu(RegOp::Add, 4, 4, 3),
                              alu(RegOp::Add, 1, 1, 4),
                              alu_immediate(RegOp::Add, 3, 3, 1),
                              move_immediate(5, 8),
                              branch(2, BranchCond::Lt, 3, 5),
                              alu_immediate(RegOp::Add, 2, 2, 1),
                              move_immediate(5, 6),
                              branch(1, BranchCond::Ne, 2, 5),
                              store_register(1, sbuf(0)),
                              halt()};
        bench.run_program(engine, program, 0x4000);
        ASSERT_TRUE(bench.finish());
        EXPECT_EQ(bench.window.words.at(sbuf(0)), 8 * 100 * 15 + 6 * 28u);
        EXPECT_EQ(bench.completed[engine], 1 + 6 * (1 + 8 * 6 + 3) + 2u);
        EXPECT_EQ(bench.engine_register(engine, 0x14), bench.completed[engine]);
        EXPECT_EQ(bench.engine_register(engine, 0x10), program.size() - 1);
    }
}

// An engine polls a semaphore with a register until another engine has counted it up.
TEST(ControlLoop, PollsASemaphore) {
    ControlBench bench({.engine_latency = 300});
    bench.run_program(
        Sync, {move_immediate(2, 5), load_register(1, SemRead + 44), branch(1, BranchCond::Lt, 1, 2), halt()},
        0x4000);
    bench.run_program(Vector,
                      {move_immediate(1, 5), then_update(data_path(Vector), 11, UpdateMode::Add, 1),
                       alu_immediate(RegOp::Sub, 1, 1, 1), branch(1, BranchCond::Ne, 1, 0), halt()},
                      0x8000);
    ASSERT_TRUE(bench.finish());
    EXPECT_EQ(bench.read(SemRead + 44), 5u);
    EXPECT_GT(bench.completed[Sync], 10u);
}

// A branch to itself ends when its condition does, or with a fault or reset of the core; here its wait holds
// it.
TEST(ControlLoop, BranchToItself) {
    ControlBench bench({});
    bench.expect_no_error = false;
    bench.run_program(Scalar, {then_update(branch(0), 3, UpdateMode::Add, 1), halt()}, 0x4000);
    EXPECT_FALSE(bench.finish(2000));
    const unsigned turns = bench.completed[Scalar];
    EXPECT_GT(turns, 50u);
    EXPECT_GE(bench.read(SemRead + 12), turns);
    bench.run_program(Vector, {Instruction(Opcode{0x0f})}, 0x8000);
    EXPECT_TRUE(bench.finish(2000)) << "a fault stops it";
}

// A wait lets one turn of the loop through for each increment from outside.
TEST(ControlLoop, WaitsInALoop) {
    ControlBench bench({});
    bench.run_program(Sync,
                      {move_immediate(1, 4),
                       wait_for(then_update(alu_immediate(RegOp::Sub, 1, 1, 1), 8, UpdateMode::Sub, 1), 8,
                                isa::WaitMode::Ge, 1),
                       branch(1, BranchCond::Ne, 1, 0), halt()},
                      0x4000);
    for (unsigned turn = 1; turn <= 4; ++turn) {
        bench.cycles(100);
        EXPECT_EQ(bench.completed[Sync], 2 * turn - 1);
        bench.write(SemInc + 32, 1);
    }
    EXPECT_TRUE(bench.finish());
}

// Chains of jumps with few instructions between them, so that bursts are under way at every jump. Targets are
// near and far, before and after, at all places in a 4 KiB page.
TEST(ControlLoop, PrefetchAcrossRedirections) {
    std::mt19937_64 random = generator();
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    for (std::uint64_t i = 0; i < 40 * scale(); ++i) {
        ControlBench bench({.seed = random(),
                            .memory_ready = 20 + pick(81),
                            .memory_latency = pick(2) ? pick(4) : pick(120)});
        std::array<unsigned, Engines> expected{};
        for (int engine = 0; engine < Engines; ++engine) {
            const unsigned size = 50 + pick(300), hops = 30;
            std::vector<unsigned> entry(size);
            for (unsigned k = 0; k < size; ++k) entry[k] = k;
            std::shuffle(entry.begin() + 1, entry.end() - 1, random);
            // The program consists of blocks of 4 words at entry[k] * 4: up to 3 instructions, then a jump to
            // the next block.
            Program program(size * 4, Instruction(Opcode::Halt));
            for (unsigned k = 0; k < hops; ++k) {
                const unsigned length = pick(4);
                for (unsigned j = 0; j < length; ++j)
                    program[entry[k] * 4 + j] = alu_immediate(RegOp::Add, 1, 1, k * 4 + j);
                program[entry[k] * 4 + length] = branch(entry[k + 1] * 4);
                expected[engine] += length + 1;
            }
            expected[engine] += 1;
            bench.run_program(engine, program, 0x100000ull * (engine + 1) + 64 * pick(64));
        }
        ASSERT_TRUE(bench.finish());
        for (int engine = 0; engine < Engines; ++engine) EXPECT_EQ(bench.completed[engine], expected[engine]);
        ASSERT_FALSE(HasFailure()) << "case " << i;
    }
}

// A program may be started again at once after a halt with bursts under way.
TEST(ControlLoop, RestartWithFetchesUnderWay) {
    for (unsigned latency : {0u, 3u, 40u}) {
        ControlBench bench({.memory_latency = latency});
        for (unsigned round = 0; round < 10; ++round) {
            Program program(1 + round, move_immediate(1, round));
            program.push_back(store_register(1, sbuf(0)));
            program.push_back(halt());
            bench.run_program(Vector, program, 0x4000 + 0x1000 * round);
            ASSERT_TRUE(bench.finish());
            EXPECT_EQ(bench.window.words.at(sbuf(0)), round);
        }
    }
}

class ControlLoopRandom : public ::testing::TestWithParam<int> {};

struct Outcome {
    std::vector<std::uint64_t> trace;
    std::uint64_t cycles;
};

Outcome run_programs(BenchOptions options, const std::array<Program, Engines>& programs, bool stop_clock) {
    options.stop_clock = stop_clock;
    ControlBench bench(options);
    for (int e = 0; e < Engines; ++e)
        bench.run_program(e, programs[e], 0x1000000ull * (e + 1) + 64 * (options.seed % 97));
    EXPECT_TRUE(bench.finish(4000000)) << "no end";
    const Outcome outcome{bench.trace, bench.now()};
    std::map<std::uint32_t, std::uint32_t> words;
    for (int e = 0; e < Engines; ++e) {
        const LoopResult expected = run_loop_program(programs[e]);
        EXPECT_EQ(bench.completed[e], expected.executed) << "engine " << e;
        EXPECT_EQ(bench.engine_register(e, 0x14), expected.executed);
        EXPECT_EQ(bench.read(SemRead + 4 * own_semaphore(e)), expected.updates);
        words.insert(expected.words.begin(), expected.words.end());
    }
    std::erase_if(bench.window.words, [](const auto& word) { return word.second == 0; });
    std::erase_if(words, [](const auto& word) { return word.second == 0; });
    EXPECT_TRUE(bench.window.words == words);
    return outcome;
}

TEST_P(ControlLoopRandom, FollowsTheModel) {
    std::mt19937_64 random(seed() + 1000 * GetParam());
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    std::uint64_t executed = 0;
    for (std::uint64_t i = 0; i < 8 * scale(); ++i) {
        std::array<Program, Engines> programs;
        for (int e = 0; e < Engines; ++e) {
            programs[e] = random_loop_program(random, e);
            executed += run_loop_program(programs[e]).executed;
        }
        const BenchOptions options{.seed = random(),
                                   .memory_ready = pick(2) ? 100 : 10 + pick(90),
                                   .memory_latency = pick(2) ? pick(8) : pick(100),
                                   .engine_ready = pick(2) ? 100 : 10 + pick(90),
                                   .engine_latency = pick(2) ? 1 + pick(8) : 1 + pick(200)};
        SCOPED_TRACE(::testing::Message() << "case " << i);
        const Outcome stopped = run_programs(options, programs, true);
        const Outcome always = run_programs(options, programs, false);
        ASSERT_EQ(stopped.cycles, always.cycles);
        ASSERT_TRUE(stopped.trace == always.trace) << "stopping the clock changed what happens";
        ASSERT_FALSE(HasFailure());
    }
    std::printf("%llu instructions executed\n", static_cast<unsigned long long>(executed));
}

INSTANTIATE_TEST_SUITE_P(Seeds, ControlLoopRandom, ::testing::Range(0, 4));

}  // namespace
}  // namespace trnsim::test
