// Tests GpSimd in lockstep: commands, random code, interrupts, accesses of the bus.
#include "lockstep_programs.hpp"

#include "compiler/neff/images.hpp"
#include "firmware/include/trnsim/mailbox.hpp"
#include "gpsimd_stream.hpp"

namespace trnsim::test {
namespace {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

TEST(Lockstep, Gpsimd) {
    run_rounds({Engine::Gpsimd}, 8);
}

// Every core executes its own random code, including traps.
void run_streams(const std::string& configuration, unsigned kind, std::uint64_t round) {
    SCOPED_TRACE(configuration + ", kind " + std::to_string(kind) + ", round " + std::to_string(round));
    Lockstep both(round * StreamKinds + kind, configuration, Values::Computed);
    both.fill(Ones);
    const unsigned cores = tlm::gpsimd_cores(both.config.core.partitions);
    const auto vlen = static_cast<std::uint32_t>(both.config.core.gpsimd.vlen);
    for (unsigned k = 0; k < cores; ++k)
        both.put(neff::gpsimd_place(k, TRNSIM_TCM_BASE), gpsimd_stream(both.random, kind, vlen));
    const auto e = static_cast<unsigned>(Engine::Gpsimd);
    both.load_and_start(e, base_of(e),
                        {Instruction(Opcode::GpsimdStart)
                             .set(field::CoreMask, (1U << cores) - 1)
                             .set(field::Boot, TRNSIM_TCM_BASE),
                         Instruction(Opcode::Halt)});
    EXPECT_TRUE(both.finish());
    EXPECT_FALSE(both.out().error);
    expect_same(both);
    EXPECT_EQ(both.memories(), "");
}

TEST(Lockstep, GpsimdStreams) {
    for (std::uint64_t round = 0; round < scale(); ++round)
        for (unsigned kind = 0; kind < StreamKinds; ++kind)
            for (const char* configuration : {"small16", "trn1"}) run_streams(configuration, kind, round);
}

// A command does not wake this core.
TEST(Lockstep, ACoreThatSleepsOn) {
    Lockstep both;
    constexpr std::array<std::uint32_t, 2> Code{0x10500073, 0xffdff06f};  // wfi; jal x0, -4
    const auto bytes_of = [](const auto& value) {
        return std::span(reinterpret_cast<const std::uint8_t*>(&value), sizeof(value));
    };
    both.put(neff::gpsimd_place(0, TRNSIM_TCM_BASE), bytes_of(Code));
    firmware::Mailbox mailbox{};
    mailbox.magic = firmware::MailboxMagic;
    both.put(neff::gpsimd_place(0, TRNSIM_MAILBOX_BASE), bytes_of(mailbox));
    const auto e = static_cast<unsigned>(Engine::Gpsimd);
    both.load_and_start(
        e, base_of(e),
        {Instruction(Opcode::GpsimdStart).set(field::CoreMask, 1).set(field::Boot, TRNSIM_TCM_BASE),
         Instruction(Opcode::GpsimdCommand).set(field::CoreMask, 1), halt()});
    EXPECT_TRUE(both.finish());
    EXPECT_TRUE(both.out().error);
    expect_same_faults(both);
    expect_same(both);
}

// Tests counters, and interrupts that are allowed at any time after the one that wakes a core.
TEST(Lockstep, GpsimdInterrupts) {
    for (std::uint64_t round = 0; round < 10 * scale(); ++round) {
        SCOPED_TRACE(round);
        Lockstep both(round);
        both.put(neff::gpsimd_place(0, TRNSIM_TCM_BASE), gpsimd_interrupts(both.random));
        const auto e = static_cast<unsigned>(Engine::Gpsimd);
        both.load_and_start(
            e, base_of(e),
            {Instruction(Opcode::GpsimdStart).set(field::CoreMask, 1).set(field::Boot, TRNSIM_TCM_BASE),
             Instruction(Opcode::GpsimdCommand).set(field::CoreMask, 1), halt()});
        EXPECT_TRUE(both.finish());
        expect_same_faults(both);
        expect_same(both);
        EXPECT_EQ(both.memories(), "");
    }
}

// GpSimd and Vector share a port of SBUF.
TEST(Lockstep, GpsimdAndVector) {
    run_rounds({Engine::Vector, Engine::Gpsimd}, 12);
}

// The bus accesses the memories of the cores while the cores work.
TEST(Lockstep, GpsimdMemories) {
    Lockstep both;
    both.fill(Ones);
    Program program = engine_program(both, Engine::Gpsimd, 6);
    program.insert(program.begin(), load_microcode(both));
    program.push_back(Instruction(Opcode::Halt));
    const auto e = static_cast<unsigned>(Engine::Gpsimd);
    both.load_and_start(e, base_of(e), program);
    const std::uint32_t heap = TRNSIM_LEAST_HEAP_BASE - TRNSIM_TCM_BASE + isa::window::GpsimdTcmBase;
    for (unsigned k = 0; k < 50; ++k) {
        both.write32(heap + 4 * k, 7 * k + 1);
        EXPECT_EQ(both.read32(heap + 4 * k), 7 * k + 1);
        both.read32(isa::csr::GpsimdState);
    }
    EXPECT_TRUE(both.finish());
    expect_same(both);
    EXPECT_EQ(both.memories(), "");
}

}  // namespace
}  // namespace trnsim::test
