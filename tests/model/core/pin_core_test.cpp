// Tests clock, statistics, trace and waves of the wrapper.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "isa/isa_tables.hpp"
#include "model/core/bench.hpp"

namespace trnsim::test {
namespace {

TEST(PinCore, StopsItsClockAndCountsTheTime) {
    CoreBench b("b");
    elaborate();
    b.reply(b.host.write32(0, 1));
    EXPECT_TRUE(b.core.stopped());
    const auto before = b.core.statistics();
    EXPECT_LT(before.evaluated_cycles, 40u);
    sc_core::sc_start(tlm::to_sc(1'000'000 * Ns));
    b.reply(b.host.write32(0, 2));
    const auto after = b.core.statistics();
    EXPECT_NEAR(static_cast<double>(after.cycles - before.cycles), 2'800'000, 60);
    EXPECT_LT(after.evaluated_cycles - before.evaluated_cycles, 40u);
    EXPECT_EQ(after.engine[2].cycles_in_state[0], after.cycles);
}

TEST(PinCore, CountsStatesAndTracesInstructions) {
    CoreBench b("b");
    elaborate();
    b.fake->script = [](FakeCore& core) {
        const std::uint64_t step = core.steps - 1;
        auto& engine = core.out.engine[1];
        core.busy = step < 29;
        engine = {};
        engine.state = static_cast<std::uint8_t>(step < 20   ? isa::SeqState::Issue
                                                 : step < 29 ? isa::SeqState::Drain
                                                             : isa::SeqState::Halted);
        if (step >= 5 && step < 25 && step % 2 == 0) ++core.counters.busy[1];  // half the core clock
        core.counters.matmul = 3 * step;
        engine.issued = step == 5 || step == 7;
        engine.issue_pc = static_cast<std::uint32_t>(step);
        engine.completed = step == 15 || step == 25;
    };
    b.reply(b.host.write32(0, 1));
    const auto s = b.core.statistics().engine[1];
    EXPECT_EQ(s.cycles_in_state[static_cast<int>(isa::SeqState::Issue)], 20u);
    EXPECT_EQ(s.cycles_in_state[static_cast<int>(isa::SeqState::Drain)], 9u);
    EXPECT_EQ(s.busy_cycles, 20u);
    EXPECT_EQ(b.core.statistics().matmul_cycles, 3 * (b.fake->steps - 1));
    EXPECT_EQ(s.issued, 2u);
    EXPECT_EQ(s.completed, 2u);
    ASSERT_EQ(b.sink.all.size(), 2u);
    const tlm::CoreClock grid(2'800'000'000);
    for (int i = 0; i < 2; ++i) {
        const auto& record = b.sink.all[i];
        EXPECT_EQ(record.engine, 1u);
        EXPECT_EQ(record.core, Id);
        EXPECT_EQ(record.pc, i == 0 ? 5u : 7u);
        EXPECT_EQ(record.completion_cycle - record.issue_cycle, i == 0 ? 10u : 18u);
        EXPECT_EQ(record.start, grid.time_of(record.issue_cycle));
        EXPECT_EQ(record.end, grid.time_of(record.completion_cycle));
    }
    EXPECT_EQ(b.core.statistics().id, Id);
    EXPECT_TRUE(b.core.done());
    EXPECT_EQ(b.stops, 1);
}

TEST(PinCore, ReportsTheErrorPinOnce) {
    CoreBench b("b");
    elaborate();
    b.fake->script = [](FakeCore& core) { core.out.error = true; };
    b.reply(b.host.write32(0, 1));
    b.reply(b.host.write32(0, 1));
    EXPECT_TRUE(b.core.error());
    EXPECT_EQ(b.stops, 1);
    EXPECT_EQ(b.core.state(), "tensor idle vector idle scalar idle gpsimd idle sync idle");
}

// Fires events so often that the wrapper cannot run cycles ahead.
struct Noise : sc_core::sc_module {
    Noise(const sc_core::sc_module_name& name, bool on) : sc_module(name) {
        SC_HAS_PROCESS(Noise);
        SC_METHOD(fire);
        sensitive << event;
        dont_initialize();
        if (on) event.notify(tlm::to_sc(1));
    }
    void fire() {
        if (tlm::now() < 3000 * Ns) event.notify(tlm::to_sc(97'001));
    }
    sc_core::sc_event event;
};

std::vector<tlm::Time> reply_times(bool noise) {
    CoreBench b("b", {2, 64, 40, 0});
    Noise events("noise", noise);
    elaborate();
    for (int i = 0; i < 40; ++i) {
        b.host.write(1000 * i, pattern(700, i), tlm::now() + i * 7 * Ns);
        b.fake->fetches.push_back({static_cast<std::uint8_t>(i % 5), 4, 64ULL * i});
    }
    sc_core::sc_start();
    std::vector<tlm::Time> times;
    for (const auto& [number, reply] : b.host.replies) times.push_back(reply.at);
    times.push_back(b.core.statistics().evaluated_cycles);
    return times;
}

// The run with events is a child, as a process has one simulation; it sends its times through a pipe.
TEST(PinCore, RunningAheadChangesNothing) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    std::fflush(nullptr);
    const pid_t child = fork();
    const std::vector<tlm::Time> times = reply_times(child == 0);
    const auto bytes = static_cast<ssize_t>(times.size() * sizeof(tlm::Time));
    if (child == 0) _exit(write(ends[1], times.data(), bytes) == bytes ? 0 : 1);
    std::vector<tlm::Time> other(times.size());
    EXPECT_EQ(read(ends[0], other.data(), bytes), bytes);
    EXPECT_EQ(other, times);
    int status = 0;
    waitpid(child, &status, 0);
}

TEST(PinCore, LittleOverheadPerCycleInWallTime) {
    CoreBench b("b", {4, 128, 0, 2}, false);
    elaborate();
    constexpr std::uint64_t Cycles = 1'000'000;
    b.fake->script = [](FakeCore& core) { core.busy = core.steps < Cycles; };
    b.host.write32(0, 1);
    const auto start = std::chrono::steady_clock::now();
    sc_core::sc_start();
    const double wall =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    std::printf("%.4f us of wall time per cycle\n", wall / Cycles);
    EXPECT_NEAR(static_cast<double>(b.core.statistics().evaluated_cycles), Cycles, 100);
    EXPECT_LT(wall / Cycles, 2);
}

TEST(PinCore, RecordsWavesInAWindow) {
    CoreBench b("b");
    elaborate();
    b.fake->script = [](FakeCore& core) { core.busy = core.steps < 1000; };
    b.core.record_wave("unused.fst", {}, 100, 110);
    b.reply(b.host.write32(0, 1));
    ASSERT_EQ(b.fake->dumps.size(), 10u);
    EXPECT_EQ(b.fake->dumps[0], 100u * 1'000'000 / 2800);
    EXPECT_FALSE(b.fake->wave_open);
    EXPECT_EQ(b.core.close_wave(), "");
}

// Expects that a recording fails; it is still open after the run if its window is not over.
void expect_wave_failure(std::uint64_t last, bool open) {
    CoreBench b("b");
    elaborate();
    b.fake->script = [](FakeCore& core) { core.busy = core.steps < 1000; };
    b.fake->wave_failure = "no space";
    b.core.record_wave("unused.fst", {}, 100, last);
    b.reply(b.host.write32(0, 1));
    EXPECT_EQ(b.fake->wave_open, open);
    EXPECT_EQ(b.core.close_wave(), "no space");
    EXPECT_FALSE(b.fake->wave_open);
}

TEST(PinCore, TellsThatAWaveIsNotWhole) {
    expect_wave_failure(1'000'000, true);
}

TEST(PinCore, TellsThatAWaveIsNotWholeWhoseWindowIsOver) {
    expect_wave_failure(110, false);
}

}  // namespace
}  // namespace trnsim::test
