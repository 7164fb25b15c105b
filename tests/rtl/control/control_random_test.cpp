// Random programs on all five engines, checked by the scoreboard: order, waits, counts, system writes, final
// semaphores. The same is done cycle by cycle with the clock stopped while idle_o is high.
#include <gtest/gtest.h>

#include "common/random.hpp"
#include "rtl/control/control_bench.hpp"

namespace trnsim::test {
namespace {

constexpr std::uint32_t SemRead = 0x2701000, SemInc = 0x2701800, EngineCompleted = 0x14, EnginePc = 0x10;
constexpr unsigned Shared = 16;  // semaphores that only grow

class ControlRandom : public ::testing::TestWithParam<int> {};

BenchOptions random_options(std::mt19937_64& random) {
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    return {.seed = random(),
            .memory_ready = pick(2) ? 100 : 5 + pick(90),
            .memory_latency = pick(2) ? pick(8) : pick(200),
            .engine_ready = pick(2) ? 100 : 5 + pick(90),
            .engine_latency = pick(2) ? 1 + pick(8) : 1 + pick(300),
            .held = pick(2) ? 0 : 1 + pick(95)};
}

struct Outcome {
    std::vector<std::uint64_t> trace;
    std::uint64_t cycles, clocked;
};

Outcome run_programs(BenchOptions options, const RandomPrograms& programs, bool stop_clock) {
    options.stop_clock = stop_clock;
    ControlBench bench(options);
    // Increments from outside, like those of a DMA engine, on semaphores that only grow.
    std::mt19937_64 random(options.seed + 1);
    std::array<std::uint32_t, 256> outside{};
    bench.traffic = [&]() -> std::optional<Access> {
        if (random() % 8 != 0) return std::nullopt;
        const auto semaphore = static_cast<unsigned>(random() % Shared);
        ++outside[semaphore];
        return Access{true, SemInc + semaphore * 4, 1};
    };
    for (int e = 0; e < Engines; ++e) {
        bench.run_program(e, programs.program[e], 0x1000000ull * (e + 1) + 64 * (options.seed % 97));
    }
    EXPECT_TRUE(bench.finish(2000000)) << "no end";
    bench.traffic = nullptr;
    const Outcome result{bench.trace, bench.now(), bench.clocked()};

    for (unsigned i = 0; i < 256; ++i) {
        EXPECT_EQ(bench.read(SemRead + i * 4), programs.final_value[i] + outside[i]) << "semaphore " << i;
    }
    std::array<std::vector<Write>, Engines> written;
    for (const Write& write : bench.memory.writes()) written[write.id].push_back(write);
    for (int e = 0; e < Engines; ++e) {
        std::vector<Write> expected;
        for (const isa::Instruction& instruction : programs.program[e]) {
            for (const auto& [address, data] : system_writes(instruction))
                expected.push_back({unsigned(e), address, data});
        }
        EXPECT_EQ(written[e], expected) << "engine " << e;
        EXPECT_EQ(bench.completed[e], programs.program[e].size());
        EXPECT_EQ(bench.engine_register(e, EngineCompleted), programs.program[e].size());
        EXPECT_EQ(bench.engine_register(e, EnginePc), programs.program[e].size() - 1);
    }
    return result;
}

TEST_P(ControlRandom, FollowsTheModel) {
    std::mt19937_64 random(seed() + 1000 * GetParam());
    std::uint64_t cycles = 0, clocked = 0;
    for (std::uint64_t i = 0; i < 10 * scale(); ++i) {
        const RandomPrograms programs = random_programs(random, 100 + random() % 1000);
        const BenchOptions options = random_options(random);
        SCOPED_TRACE(::testing::Message()
                     << "case " << i << " memory " << options.memory_ready << "% " << options.memory_latency
                     << " engine " << options.engine_ready << "% " << options.engine_latency << " held "
                     << options.held << "%");
        const Outcome stopped = run_programs(options, programs, true);
        const Outcome always = run_programs(options, programs, false);
        ASSERT_EQ(stopped.cycles, always.cycles);
        ASSERT_TRUE(stopped.trace == always.trace) << "stopping the clock changed what happens";
        ASSERT_FALSE(HasFailure());
        cycles += stopped.cycles;
        clocked += stopped.clocked;
    }
    std::printf("%llu of %llu cycles clocked\n", static_cast<unsigned long long>(clocked),
                static_cast<unsigned long long>(cycles));
    EXPECT_LT(clocked, cycles);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ControlRandom, ::testing::Range(0, 8));

// The clock may not stop, because the hold signals come from registers.
TEST(ControlHold, WhatIsHeldBackIsNotIdle) {
    ControlBench bench({.held = 100});
    bench.run_program(0, {data_path(0), halt()}, 0x4000);
    bench.cycles(200);
    for (int i = 0; i < 100; ++i) {
        ASSERT_FALSE(bench.idle());
        bench.cycle();
    }
    EXPECT_EQ(bench.issued[0], 0U);
    bench.set_held(0);
    EXPECT_TRUE(bench.finish()) << "no end";
    EXPECT_EQ(bench.completed[0], 2U);
}

}  // namespace
}  // namespace trnsim::test
