// The GpSimd engine with programs that are not firmware: the events that an instruction waits for, its time
// limits, and the changes of the port's owner.
#include <gtest/gtest.h>

#include "tests/common/riscv/encode.hpp"
#include "tests/rtl/gpsimd/engine/engine_bench.hpp"

namespace trnsim::test {
namespace {

using isa::Error;
using Program = std::vector<std::uint32_t>;

constexpr std::uint32_t All = (1 << Cores) - 1, Boot = TRNSIM_CODE_BASE, Last = Cores - 1;
constexpr std::uint32_t Jump = 0xffdff06f;  // jumps to the previous instruction
constexpr std::uint32_t Ecall = 0x00000073, T0 = 5, T1 = 6, T2 = 7;
constexpr std::uint32_t Mie = 0x304, Mtvec = 0x305, Mepc = 0x341, ExternalInterrupt = 0x800;
constexpr std::uint64_t Latency = 116, WakeLimit = 64;  // engine cycles

std::uint32_t mailbox_of(std::uint32_t core, std::uint32_t word) {
    return EngineBench::tcm(core, TRNSIM_MAILBOX_BASE) + 4 * word;
}

// Starts the program on the cores, with a mailbox that says that they are ready and that nothing has been
// completed.
void start(EngineBench& on, const Program& program) {
    for (std::uint32_t core = 0; core < Cores; ++core) {
        for (std::uint32_t word = 0; word < 16; ++word) on.write32(mailbox_of(core, word), 0);
        on.write32(mailbox_of(core, 0), firmware::MailboxMagic);
    }
    on.load(program, Boot);
    ASSERT_TRUE(on.run(gpsimd::start(All, Boot)));
}

isa::GpsimdState state(EngineBench& on, std::uint32_t core) {
    return static_cast<isa::GpsimdState>(on.model().state_o >> 2 * core & 3);
}

// Returns the engine cycles from a command to its fault, of the last core.
std::uint64_t edges_to_fault(EngineBench& on) {
    on.issue(gpsimd::command(1U << Last, 0));
    const std::uint64_t begin = on.edges();
    while (on.model().fault_o == 0 && on.edges() < begin + 4000) on.step();
    EXPECT_EQ(static_cast<Error>(on.model().fault_o), Error::GpsimdFault);
    EXPECT_EQ(on.model().fault_address_o, mailbox_of(Last, 0));
    return on.edges() - begin;
}

// A core wakes and waits again, but has not said that the request is done.
TEST(GpsimdEnginePrograms, AnInterruptIsNoCompletion) {
    EngineBench on;
    start(on, {encode::lui(T0, ExternalInterrupt), encode::addi(T0, T0, ExternalInterrupt),
               encode::csrrs(0, Mie, T0), encode::Wfi, Jump});
    EXPECT_LT(edges_to_fault(on), Latency + WakeLimit);
    EXPECT_EQ(on.read32(mailbox_of(Last, 1)), 1U);  // number of the request
    EXPECT_EQ(on.read32(mailbox_of(Last, 5)), 0U);
}

TEST(GpsimdEnginePrograms, ACoreHasSomeTimeToWake) {
    EngineBench on({1, 1});
    start(on, {encode::Wfi, Jump});
    const std::uint64_t edges = edges_to_fault(on);
    EXPECT_GE(edges, Latency + WakeLimit);
    EXPECT_LE(edges, Latency + WakeLimit + 4);
}

// Repeated traps at one address, with other instructions in between, do not count as a handler that traps.
TEST(GpsimdEnginePrograms, TrapsMayBeHandled) {
    constexpr std::uint32_t Handler = Boot + 4 * 9;
    EngineBench on;
    start(on, {encode::lui(T0, Handler), encode::addi(T0, T0, Handler), encode::csrrw(0, Mtvec, T0),
               encode::addi(T1, 0, 3), Ecall, encode::addi(T1, T1, static_cast<std::uint32_t>(-1)),
               encode::branch(1, T1, 0, -8), encode::Wfi, Jump, encode::csrrs(T2, Mepc, 0),
               encode::addi(T2, T2, 4), encode::csrrw(0, Mepc, T2), encode::Mret});
    for (std::uint32_t core = 0; core < Cores; ++core) EXPECT_EQ(state(on, core), isa::GpsimdState::Waiting);
}

// Returns a program of stores with `apart` instructions between them.
Program stores(unsigned count, unsigned apart) {
    Program program{encode::lui(T0, TRNSIM_SLICE_BASE)};
    for (unsigned k = 0; k < count; ++k) {
        program.push_back(encode::s_type(0x23, 2, T0, 0, 0));
        program.insert(program.end(), apart, encode::addi(T1, T1, 1));
    }
    program.insert(program.end(), {encode::Wfi, Jump});
    return program;
}

// No other engine wants the port, so it is kept for 16 cycles without an access.
TEST(GpsimdEnginePrograms, ThePortIsKeptForAWhile) {
    constexpr unsigned Stores = 20;
    EngineBench kept({1, 1}), given_back({1, 1});
    start(kept, stores(Stores, 10));
    EXPECT_LT(kept.model().gpsimd_waits_o, 10U);
    start(given_back, stores(Stores, 40));
    EXPECT_GE(given_back.model().gpsimd_waits_o, Stores);
}

}  // namespace
}  // namespace trnsim::test
