// Instructions of the GpSimd engine: the mailboxes and words that they write, the events that they wait for
// and the time limits, and their failures. The test plays the cores.
#include <gtest/gtest.h>

#include "isa/isa_tables.hpp"
#include "tests/rtl/gpsimd/blocks/dispatch_bench.hpp"

namespace trnsim::test {
namespace {

namespace field = isa::field;
using isa::Error, isa::GpsimdState;

constexpr std::uint32_t Boot = TRNSIM_CODE_BASE, Operation = 0x1234;

isa::Instruction arguments(std::mt19937_64& random, std::uint32_t first, std::uint32_t count) {
    std::vector<std::uint32_t> words(count);
    for (auto& word : words) word = static_cast<std::uint32_t>(random());
    return gpsimd::words(words, first).front();
}

// A bench with started cores and memories that take an access at once.
struct Started : DispatchBench {
    Started() { start(); }

    std::optional<std::uint64_t> command(std::uint32_t mask) {
        expect_command(mask, Operation);
        return run(gpsimd::command(mask, Operation));
    }
    // Runs a command that its cores do not complete; the fault names the first of them.
    void failing(std::uint32_t mask, std::uint32_t first) {
        EXPECT_FALSE(command(mask));
        expect_fault(mask, first);
    }
    void expect_fault(std::uint32_t mask, std::uint32_t first) {
        EXPECT_EQ(static_cast<Error>(model().fault_o), Error::GpsimdFault);
        EXPECT_EQ(model().fault_address_o, mailbox_address(first));
        EXPECT_EQ(model().irq_o, 0);
        EXPECT_EQ(model().run_o, All & ~mask) << "the cores of the instruction halt";
    }
};

TEST(GpsimdDispatch, NothingAfterReset) {
    DispatchBench on;
    for (int k = 0; k < 20; ++k) on.step();
    EXPECT_EQ(on.model().run_o, 0);
    EXPECT_EQ(on.model().irq_o, 0);
    EXPECT_EQ(on.model().fault_o, 0);
    EXPECT_EQ(on.model().instr_ready_o, 1);
    EXPECT_EQ(on.model().tcm_active_o, 0);
    for (std::uint32_t k = 0; k < Cores; ++k) EXPECT_EQ(on.state(k), GpsimdState::Halted);
}

TEST(GpsimdDispatch, RefusesWhatCannotBeDone) {
    DispatchBench on;
    const auto words = [](std::uint32_t first, std::uint32_t count) {
        return isa::Instruction(isa::Opcode::GpsimdArguments)
            .set(field::FirstWord, first)
            .set(field::Words, count);
    };
    for (std::uint32_t first = 0; first < 256; ++first) {
        for (std::uint32_t count = 0; count < 16; ++count) {
            const bool legal = count >= 1 && count <= 12 && first + count <= firmware::ArgumentWords;
            EXPECT_EQ(on.reject(words(first, count)), legal ? Error::None : Error::UnsupportedOperand)
                << first << " " << count;
        }
    }
    for (std::uint32_t mask = 0; mask < 256; ++mask) {
        const Error expected = mask >= 1 && mask <= All ? Error::None : Error::UnsupportedOperand;
        EXPECT_EQ(on.reject(gpsimd::command(mask, mask * 256)), expected) << mask;
        EXPECT_EQ(on.reject(gpsimd::start(mask, Boot)), expected) << mask;
        // The operation and the fields of other instructions are not checked.
        EXPECT_EQ(on.reject(gpsimd::command(mask, 0).set(field::Boot, 3)), expected) << mask;
    }
    for (const std::uint32_t boot : {TRNSIM_TCM_BASE + 0u, TRNSIM_TCM_BASE + 0xfffcu})
        EXPECT_EQ(on.reject(gpsimd::start(All, boot)), Error::None) << boot;
    for (const std::uint32_t boot :
         {TRNSIM_TCM_BASE - 4u, TRNSIM_TCM_BASE + 0x10000u, 0u, 0x9000'0000u, 0xffff'fffcu})
        EXPECT_EQ(on.reject(gpsimd::start(All, boot)), Error::AddressRange) << boot;
    for (const std::uint32_t boot : {Boot + 1, Boot + 2, Boot + 3})
        EXPECT_EQ(on.reject(gpsimd::start(All, boot)), Error::AddressAlign) << boot;
}

// Tests every place and count; the words lie in one or two beats.
TEST(GpsimdDispatch, ArgumentsReachTheirWordsInEveryCore) {
    DispatchBench on;
    for (std::uint32_t count = 1; count <= 12; ++count) {
        for (std::uint32_t first = 0; first + count <= firmware::ArgumentWords;
             first += 1 + (first % 16 < 2 ? 0 : count % 5)) {
            const isa::Instruction instruction = arguments(on.random(), first, count);
            on.expect_arguments(instruction);
            const std::uint64_t beats = 1 + (first % BeatWords + count - 1) / BeatWords;
            EXPECT_EQ(on.run(instruction), 1 + beats) << "cycles";
            EXPECT_EQ(on.beats, Cores * beats);
            on.check_mailboxes();
            ASSERT_FALSE(testing::Test::HasFailure());
        }
    }
    EXPECT_EQ(on.model().run_o | on.model().irq_o, 0);
}

TEST(GpsimdDispatch, StartsTheCoresOfTheMask) {
    DispatchBench on;
    std::uint32_t running = 0;
    std::array<std::uint64_t, Cores> starts{};
    for (const std::uint32_t mask : {1u, 4u, 4u, 2u, 7u, 5u}) {
        for (DispatchedCore& core : on.cores) core.write(MailboxField::Magic, 0);
        const std::uint32_t boot = TRNSIM_TCM_BASE + 4 * static_cast<std::uint32_t>(on.random()() % 0x4000);
        on.issue(gpsimd::start(mask, boot));
        EXPECT_EQ(on.model().run_o, running & ~mask) << "they halt";
        ASSERT_TRUE(on.finish());
        running |= mask;
        EXPECT_EQ(on.model().run_o, running);
        for (std::uint32_t k = 0; k < Cores; ++k) {
            const bool chosen = (mask >> k & 1) != 0;
            starts[k] += chosen;
            EXPECT_EQ(on.cores[k].starts, starts[k]);
            if (chosen) {
                EXPECT_EQ(on.cores[k].booted_at, boot);
            }
            EXPECT_EQ(on.state(k), (running >> k & 1) != 0 ? GpsimdState::Waiting : GpsimdState::Halted);
        }
        on.check_mailboxes();
        EXPECT_EQ(on.interrupted, 0u);
    }
}

// An instruction is done soon after its last core.
TEST(GpsimdDispatch, EndsWithTheLastCore) {
    Started on;
    for (std::uint32_t last = 0; last < Cores; ++last) {
        for (std::uint32_t k = 0; k < Cores; ++k)
            on.cores[k].behaviour.works = on.cores[k].behaviour.starts = k == last ? 90 : 10;
        ASSERT_TRUE(on.command(All));
        EXPECT_LE(on.cycle() - on.cores[last].waits_since, 8u);
        ASSERT_TRUE(on.run(gpsimd::start(All, Boot)));
        EXPECT_LE(on.cycle() - on.cores[last].waits_since, 8u);
    }
}

TEST(GpsimdDispatch, InterruptsAfterTheLatency) {
    Started on;
    on.at_interrupt = [&on] { on.check_mailboxes(); };
    for (const std::uint32_t mask : {7u, 1u, 2u, 4u, 5u}) {
        on.expect_command(mask, Operation);
        const std::uint64_t begin = on.issue(gpsimd::command(mask, Operation));
        ASSERT_TRUE(on.finish());
        EXPECT_EQ(on.interrupt_at - begin, Latency + 2);
        EXPECT_EQ(on.interrupted, mask);
    }
}

// Slow memories delay the interrupt exactly as long as they take.
TEST(GpsimdDispatch, InterruptsWhenTheMailboxesAreWritten) {
    Started on;
    on.at_interrupt = [&on] { on.check_mailboxes(); };
    for (const unsigned cycles : {10u, 100u, 1030u}) {
        on.expect_command(5, Operation);
        on.taken_percent = 0;
        const std::uint64_t begin = on.issue(gpsimd::command(5, Operation));
        for (unsigned k = 0; k < cycles; ++k) on.step();
        EXPECT_EQ(on.interrupted, 0u);
        on.taken_percent = 100;
        ASSERT_TRUE(on.finish());
        EXPECT_EQ(on.interrupt_at - begin, std::max<std::uint64_t>(Latency + 2, cycles + 7));
    }
}

TEST(GpsimdDispatch, CountsRequestsFromOne) {
    Started on;
    for (const std::uint32_t before : {0u, 0x7fff'ffffu, 0xffff'fffdu}) {
        on.model().request_i = on.request = before;
        on.model().set_i = 1;
        on.step();
        on.model().set_i = 0;
        for (int k = 0; k < 4; ++k) {
            ASSERT_TRUE(on.command(2));
            on.check_mailboxes();
            EXPECT_EQ(on.cores[1].words[MailboxField::Request], on.request);
            EXPECT_NE(on.request, 0u);
        }
    }
}

// Operations, masks, times and the speed of memories are random.
TEST(GpsimdDispatch, RandomInstructions) {
    Started on;
    auto& random = on.random();
    std::array<std::uint64_t, Cores> starts{}, wakes{};
    starts.fill(1);
    for (std::uint64_t round = 0; round < 600 * scale(); ++round) {
        const auto mask = 1 + static_cast<std::uint32_t>(random() % All);
        on.taken_percent = static_cast<unsigned>(20 + random() % 81);
        for (DispatchedCore& core : on.cores) {
            Behaviour& does = core.behaviour;
            does.halts = static_cast<unsigned>(random() % 12);
            does.starts = static_cast<unsigned>(random() % 30);
            does.wakes = static_cast<unsigned>(random() % 8);
            does.works = static_cast<unsigned>(random() % 4 == 0 ? random() % 200 : random() % 4);
        }
        const std::uint64_t kind = random() % 8;
        if (kind < 4) {
            const auto count = static_cast<std::uint32_t>(1 + random() % 12);
            const auto first = static_cast<std::uint32_t>(random() % (firmware::ArgumentWords - count + 1));
            const isa::Instruction instruction = arguments(random, first, count);
            on.expect_arguments(instruction);
            on.issue(instruction);
        } else if (kind < 7) {
            const auto operation = static_cast<std::uint32_t>(random() & 0xffff);
            on.expect_command(mask, operation);
            on.issue(gpsimd::command(mask, operation));
            for (std::uint32_t k = 0; k < Cores; ++k) wakes[k] += mask >> k & 1;
        } else {
            on.issue(gpsimd::start(mask, Boot));
            for (std::uint32_t k = 0; k < Cores; ++k) starts[k] += mask >> k & 1;
        }
        if (random() % 4 == 0) continue;  // the next one comes at once
        ASSERT_TRUE(on.finish());
        on.check_mailboxes();
        for (auto pause = random() % 8; pause > 0; --pause) on.step();
        for (std::uint32_t k = 0; k < Cores; ++k) {
            ASSERT_EQ(on.cores[k].wakes, wakes[k]) << "core " << k;
            ASSERT_EQ(on.cores[k].starts, starts[k]) << "core " << k;
            ASSERT_TRUE(on.cores[k].waiting());
        }
        ASSERT_FALSE(HasFailure());
    }
}

// ------------------------------------------------------------------------------------------------- what is no fault

TEST(GpsimdDispatch, CoresHaveTimeToWake) {
    constexpr unsigned Most = WakeLimit - 3;
    for (std::uint32_t k = 0; k < Cores; ++k) {
        Started on;
        on.cores[k].behaviour.wakes = Most;
        EXPECT_TRUE(on.command(All)) << "core " << k;
        Started late;
        late.cores[k].behaviour.wakes = Most + 1;
        late.failing(All, k);
        EXPECT_EQ(late.cycle() - late.interrupt_at, WakeLimit + 1);
    }
}

// A core at work has unlimited time.
TEST(GpsimdDispatch, OperationsMayTakeLong) {
    Started on;
    on.cores[1].behaviour.works = 3000;
    EXPECT_TRUE(on.command(3));
    on.cores[1].behaviour.starts = 3000;
    EXPECT_TRUE(on.run(gpsimd::start(2, Boot)));
}

TEST(GpsimdDispatch, TrapsMayBeHandled) {
    const std::vector<std::vector<Moment>> handled{
        {{100, true}},
        {{100, true}, {104}, {100, true}, {104}, {100, true}},
        {{100, true}, {104}, {108}, {100, true}},
        {{100, true}, {104, true}, {100, true}, {104, true}},
        {{100, true}, {100}, {104}, {100}, {100, true}},
    };
    for (const auto& moments : handled) {
        for (std::uint32_t k = 0; k < Cores; ++k) {
            Started on;
            on.cores[k].behaviour.moments = moments;
            EXPECT_TRUE(on.command(All));
            EXPECT_EQ(on.state(k), GpsimdState::Waiting) << "it has been handled";
            EXPECT_TRUE(on.run(gpsimd::start(All, Boot)));
            EXPECT_EQ(on.state(k), GpsimdState::Waiting);
        }
    }
}

// Cores that take no part may do and report anything.
TEST(GpsimdDispatch, LooksAtTheCoresOfTheMaskAlone) {
    for (std::uint32_t other = 0; other < Cores; ++other) {
        const std::uint32_t mask = All & ~(1u << other);
        Started on;
        on.cores[other].keeps_trapping = true;
        for (int k = 0; k < 5; ++k) on.step();
        EXPECT_TRUE(on.command(mask));
        EXPECT_TRUE(on.run(gpsimd::start(mask, Boot)));
        EXPECT_EQ(on.state(other), GpsimdState::Trapped);

        DispatchBench half;
        half.cores[other].write(MailboxField::Magic, 0);
        half.cores[other].write(MailboxField::Answer, 7);
        EXPECT_TRUE(half.run(gpsimd::start(mask, Boot)));
        half.expect_command(mask, Operation);
        EXPECT_TRUE(half.run(gpsimd::command(mask, Operation)));
        EXPECT_EQ(half.state(other), GpsimdState::Halted);
        half.check_mailboxes();
    }
}

// ----------------------------------------------------------------------------------------------------- what is one

TEST(GpsimdDispatch, CommandsAreForCoresThatWait) {
    for (std::uint32_t k = 0; k < Cores; ++k) {
        DispatchBench on;
        ASSERT_TRUE(on.run(gpsimd::start(All & ~(1u << k), Boot)));
        const std::uint64_t begin = on.issue(gpsimd::command(All, Operation));
        EXPECT_FALSE(on.finish());
        EXPECT_EQ(on.model().fault_address_o, mailbox_address(k));
        EXPECT_EQ(on.cycle() - begin, Latency + 2);
        EXPECT_EQ(on.interrupted, 0u);
    }
}

// Any single bit of an answer that differs is detected.
TEST(GpsimdDispatch, AnswersAreRead) {
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
        const std::uint32_t k = bit % Cores, mask = bit % 2 == 0 ? All : 1u << k;
        Started status, number, magic;
        status.cores[k].behaviour.status = 1u << bit;
        status.failing(mask, k);
        number.cores[k].behaviour.request_changed = 1u << bit;
        number.failing(mask, k);
        magic.cores[k].behaviour.magic ^= 1u << bit;
        EXPECT_FALSE(magic.run(gpsimd::start(mask, Boot)));
        magic.expect_fault(mask, k);
    }
}

TEST(GpsimdDispatch, NamesTheFirstCore) {
    for (std::uint32_t wrong = 1; wrong <= All; ++wrong) {
        const auto first = static_cast<std::uint32_t>(std::countr_zero(wrong));
        Started status, waking, trapping;
        for (std::uint32_t k = 0; k < Cores; ++k) {
            if ((wrong >> k & 1) == 0) continue;
            status.cores[k].behaviour.status = 3;
            waking.cores[k].behaviour.leaves_wfi = false;
            trapping.cores[k].behaviour = {.moments = {{100, true}}, .for_ever = true};
        }
        status.failing(All, first);
        waking.failing(All, first);
        trapping.failing(All, first);
        for (std::uint32_t k = 0; k < Cores; ++k)
            EXPECT_EQ(trapping.state(k) == GpsimdState::Trapped, (wrong >> k & 1) != 0);
    }
}

// Answers of an earlier instruction do not count for a later one.
TEST(GpsimdDispatch, AnswersCountOnce) {
    Started on;
    for (int k = 0; k < 3; ++k) {
        ASSERT_TRUE(on.command(All));
        ASSERT_TRUE(on.run(gpsimd::start(1u << k, Boot)));
    }
    on.cores[2].behaviour.status = 1;
    ASSERT_TRUE(on.command(3));
    on.failing(4, 2);
}

// The memories answer one after the other, in any order.
TEST(GpsimdDispatch, AnAnswerIsKeptUntilTheLast) {
    for (unsigned round = 0; round < 12; ++round) {
        Started on;
        on.random().discard(round);
        on.taken_percent = 25;
        on.cores[round % Cores].behaviour.status = 1;
        on.failing(All, round % Cores);
    }
}

TEST(GpsimdDispatch, HandlersThatTrap) {
    const std::vector<std::vector<Moment>> stuck{
        {{100, true}},
        {{100, true}, {100}},
        {{100, true}, {100}, {100}, {100}},
    };
    for (const auto& moments : stuck) {
        for (std::uint32_t k = 0; k < Cores; ++k) {
            Started commanded, started;
            commanded.cores[k].behaviour.moments = started.cores[k].behaviour.moments = moments;
            commanded.cores[k].behaviour.for_ever = started.cores[k].behaviour.for_ever = true;
            commanded.failing(All, k);
            EXPECT_EQ(commanded.state(k), GpsimdState::Trapped);
            EXPECT_FALSE(started.run(gpsimd::start(1u << k, Boot)));
            started.expect_fault(1u << k, k);
            EXPECT_EQ(started.state(k), GpsimdState::Trapped);
        }
    }
}

// A fault stays, and instructions after it do nothing.
TEST(GpsimdDispatch, AFaultIsTheEnd) {
    Started on;
    on.cores[1].behaviour.status = 5;
    on.failing(2, 1);
    on.cores[1].behaviour.status = 0;
    const std::uint32_t run = on.model().run_o;
    for (const isa::Instruction& instruction :
         {arguments(on.random(), 0, 12), gpsimd::command(1, Operation), gpsimd::start(All, Boot)}) {
        on.issue(instruction);
        for (int k = 0; k < 60; ++k) {
            on.step();
            ASSERT_EQ(on.model().done_o, 0);
            ASSERT_EQ(on.model().tcm_active_o, 0);
        }
        on.expect_fault(2, 1);
        EXPECT_EQ(on.model().run_o, run);
        EXPECT_EQ(on.interrupted, 0u);
    }
    on.check_mailboxes();
}

TEST(GpsimdDispatch, StatesOfTheCores) {
    Started on;
    on.cores[1].behaviour.works = 40;
    on.issue(gpsimd::command(2, Operation));
    unsigned running = 0, waiting = 0;
    for (int k = 0; k < 80; ++k) {
        on.step();
        running += on.state(1) == GpsimdState::Running;
        waiting += on.state(1) == GpsimdState::Waiting;
        ASSERT_EQ(on.state(0), GpsimdState::Waiting);
    }
    EXPECT_GE(running, 30u);
    EXPECT_GE(waiting, Latency);
    ASSERT_TRUE(on.finish());
    EXPECT_EQ(on.state(1), GpsimdState::Waiting);
    on.issue(gpsimd::start(4, Boot));
    bool halted = false;
    for (int k = 0; k < 8; ++k) {
        on.step();
        halted |= on.state(2) == GpsimdState::Halted;
    }
    EXPECT_TRUE(halted);
    ASSERT_TRUE(on.finish());
}

// A core that traps is reported as trapped until it is started again or has done a command.
TEST(GpsimdDispatch, TrapsAreSeenUntilTheyAreHandled) {
    Started on;
    Behaviour& does = on.cores[0].behaviour;
    does.works = 30;
    does.moments = {{100, true}};
    on.expect_command(3, Operation);
    on.issue(gpsimd::command(3, Operation));
    for (unsigned k = 0; k < Latency + 20; ++k) on.step();
    EXPECT_EQ(on.state(0), GpsimdState::Trapped);
    EXPECT_EQ(on.state(1), GpsimdState::Waiting);
    ASSERT_TRUE(on.finish());
    EXPECT_EQ(on.state(0), GpsimdState::Waiting);

    does = {.starts = 30, .moments = {{100, true}}};
    on.issue(gpsimd::start(1, Boot));
    for (int k = 0; k < 20; ++k) on.step();
    EXPECT_EQ(on.state(0), GpsimdState::Trapped);
    ASSERT_TRUE(on.finish());
    EXPECT_EQ(on.state(0), GpsimdState::Waiting);
}

TEST(GpsimdDispatch, AStartForgetsTraps) {
    for (std::uint32_t k = 0; k < Cores; ++k) {
        Started on;
        on.cores[k].keeps_trapping = true;
        for (int cycle = 0; cycle < 3; ++cycle) on.step();
        on.cores[k].keeps_trapping = false;
        ASSERT_TRUE(on.command(All & ~(1u << k)));
        EXPECT_EQ(on.state(k), GpsimdState::Trapped);
        on.cores[k].behaviour.starts = 40;
        on.issue(gpsimd::start(1u << k, Boot));
        for (int cycle = 0; cycle < 20; ++cycle) on.step();
        EXPECT_EQ(on.state(k), GpsimdState::Running);
        ASSERT_TRUE(on.finish());
        EXPECT_EQ(on.state(k), GpsimdState::Waiting);
    }
}

// In any state, cores halt and requests count from 1 again.
TEST(GpsimdDispatch, AResetEndsEverything) {
    for (const unsigned cycles : {1u, 3u, 10u, Latency + 3, Latency + 12, Latency + 60}) {
        Started on;
        ASSERT_TRUE(on.command(All));
        on.cores[1].behaviour = {.wakes = 6, .works = 30, .moments = {{100, true}}, .status = 1};
        on.expect_command(All, Operation);
        on.issue(gpsimd::command(All, Operation));
        for (unsigned k = 0; k < cycles; ++k) on.step();
        on.reset();
        on.cores[1].behaviour = {};
        EXPECT_EQ(on.model().run_o | on.model().irq_o, 0);
        EXPECT_EQ(on.model().fault_o, 0);
        EXPECT_EQ(on.model().fault_address_o, 0u);
        for (int k = 0; k < 20; ++k) on.step();
        for (std::uint32_t k = 0; k < Cores; ++k) EXPECT_EQ(on.state(k), GpsimdState::Halted) << cycles;
        on.start();
        ASSERT_TRUE(on.command(All));
        on.check_mailboxes();
        EXPECT_EQ(on.cores[0].words[MailboxField::Request], 1u);
    }
}

}  // namespace
}  // namespace trnsim::test
