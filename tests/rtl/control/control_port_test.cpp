// Registers, start and restart, instruction fetch at the limits, writes to the system.
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

constexpr std::uint32_t Csr = 0x2710000, Status = Csr + 0x800, SemInc = 0x2701800, SemRead = 0x2701000;

TEST(ControlPort, UnmappedAndMisaligned) {
    ControlBench bench({});
    for (const std::uint32_t address :
         {0x2700400u, 0x2700ffcu, 0x2702000u, 0x270fffcu, 0x271001cu, 0x27100fcu, 0x2710500u, 0x27107fcu,
          0x2710818u, 0x271081cu, 0x2710828u, 0x2711000u, 0x3fffffcu, 0x2700001u, 0x2701802u, 0x2710003u}) {
        EXPECT_TRUE(bench.access({false, address, 0}).error) << std::hex << address;
        EXPECT_TRUE(bench.access({true, address, 0}).error) << std::hex << address;
    }
    for (const std::uint32_t offset :
         {0x0cu, 0x10u, 0x14u, 0x40cu, 0x800u, 0x804u, 0x808u, 0x80cu, 0x810u, 0x814u}) {
        EXPECT_TRUE(bench.access({true, Csr + offset, 1}).error) << std::hex << offset << " is read-only";
        EXPECT_EQ(bench.access({false, Csr + offset, 0}).error, false);
    }
}

TEST(ControlPort, Registers) {
    ControlBench bench({});
    for (int e = 0; e < Engines; ++e) {
        bench.write(Csr + e * 0x100, 0x12345640u + e * 0x1000);
        bench.write(Csr + e * 0x100 + 4, 0xfedc0000u + e);
    }
    for (int e = 0; e < Engines; ++e) {
        EXPECT_EQ(bench.engine_register(e, 0), 0x12345640u + e * 0x1000);
        EXPECT_EQ(bench.engine_register(e, 4), 0xfedc0000u + e);
        EXPECT_EQ(bench.engine_register(e, 0x18), 0u);
        bench.write(Csr + e * 0x100 + 0x18, 100 + e);
        EXPECT_EQ(bench.engine_register(e, 0x18), 100u + e);
        EXPECT_EQ(bench.engine_register(e, 8), 0u);
        EXPECT_EQ(bench.engine_register(e, 12), 0u);
    }
    bench.write(Csr, 0xffffffff);
    EXPECT_EQ(bench.engine_register(0, 0), 0xffffffc0u) << "programs start at 64 bytes";
    bench.write(Csr + 0x820, 3);
    bench.write(Csr + 0x824, 0xabcdef01);
    EXPECT_EQ(bench.read(Csr + 0x820), 1u);
    EXPECT_EQ(bench.read(Csr + 0x824), 0xabcdef01u);
    bench.write(Csr + 0x824, 7);
    bench.cycles(10);
    EXPECT_EQ(bench.seeds, (std::vector<std::uint32_t>{0xabcdef01u, 7})) << "once a write";
    EXPECT_EQ(bench.read(Status), 1u) << "idle, no error, nothing has halted";
}

TEST(ControlPort, StatusFollowsTheEngines) {
    ControlBench bench({.engine_latency = 200});
    bench.run_program(0, {wait_for(data_path(0), 8, WaitMode::Ge, 1), halt()}, 0x4000);
    bench.run_program(4, {halt()}, 0x8000);
    bench.cycles(50);
    EXPECT_EQ(bench.state(4), SeqState::Halted);
    EXPECT_EQ(bench.read(Status), 0u);
    EXPECT_EQ(bench.engine_register(0, 12), static_cast<unsigned>(SeqState::WaitSem));
    bench.write(SemInc + 32, 1);
    EXPECT_TRUE(bench.finish());
    EXPECT_EQ(bench.read(Status), 5u);
    EXPECT_EQ(bench.engine_register(0, 12), static_cast<unsigned>(SeqState::Halted));
    EXPECT_GT(bench.cycles_in_state[0][static_cast<unsigned>(SeqState::Drain)], 0u)
        << "halt waits for the end of what is before it";
}

TEST(ControlPort, WritingZeroOrStartingTwiceDoesNothing) {
    ControlBench bench({});
    bench.write(Csr + 8, 0);
    bench.write(Csr + 8, 2);
    bench.cycles(20);
    EXPECT_EQ(bench.state(0), SeqState::Idle);
    bench.run_program(0, {wait_for(data_path(0), 8, WaitMode::Ge, 1), data_path(0), halt()}, 0x4000);
    bench.cycles(50);
    bench.write(Csr + 8, 1);
    bench.cycles(50);
    bench.write(SemInc + 32, 1);
    EXPECT_TRUE(bench.finish());
    EXPECT_EQ(bench.completed[0], 3u);
}

// A new program starts while beats of the old one, fetched after its halt, are still on their way.
TEST(ControlPort, RestartDropsTheOldProgram) {
    std::mt19937_64 random = generator();
    for (std::uint64_t i = 0; i < 60 * scale(); ++i) {
        ControlBench bench({.seed = random(),
                            .memory_ready = 10 + static_cast<unsigned>(random() % 91),
                            .memory_latency = 1 + static_cast<unsigned>(random() % 100)});
        const Program behind(64, Instruction(Opcode::Branch));  // would fault when executed
        for (int run = 0; run < 4; ++run) {
            const std::uint64_t address = 0x100000ull * (run + 1) + 64 * (random() % 64);
            Program program(random() % 70, then_update(data_path(1), 4, UpdateMode::Add, 1));
            program.push_back(halt());
            bench.memory.load(address, behind);
            bench.memory.load(address + 64 * program.size(), behind);
            bench.run_program(1, program, address);
            while (bench.state(1) != SeqState::Halted) bench.cycle();
            EXPECT_EQ(bench.completed[1], program.size());
            EXPECT_EQ(bench.engine_register(1, 0x14), program.size());
        }
    }
}

TEST(ControlPort, BurstsStayInTheirPage) {
    // The memory makes the test fail if a burst crosses 4 KiB.
    for (unsigned start = 0; start < 64; ++start) {
        ControlBench bench({.memory_latency = 3});
        Program program(100, Instruction(Opcode::Nop));
        program.push_back(halt());
        bench.run_program(3, program, 0x123456789000ull + start * 64);
        ASSERT_TRUE(bench.finish());
        EXPECT_EQ(bench.completed[3], 101u);
    }
}

TEST(ControlPort, Doorbells) {
    for (const unsigned mask : {0u, 1u, 0x8000u, 0x5555u, 0xaaaau, 0xffffu}) {
        ControlBench bench({});
        const Instruction trigger = ring_doorbells(0xffff000001cull, mask, 0x40000, 0x1234, 0xabcd);
        bench.run_program(4, {then_update(trigger, 2, UpdateMode::Add, 1), halt()}, 0x4000);
        ASSERT_TRUE(bench.finish());
        std::vector<Write> expected;
        for (unsigned e = 0; e < 16; ++e) {
            if (mask >> e & 1) expected.push_back({4, 0xffff000001cull + e * 0x40000ull, 0xabcd1234});
        }
        EXPECT_EQ(bench.memory.writes(), expected);
        EXPECT_EQ(bench.read(SemRead + 8), 1u);
    }
}

// Writes of several engines do not mix.
TEST(ControlPort, OneBusWriteAtATime) {
    ControlBench bench({.memory_ready = 60, .memory_latency = 30});
    for (int e = 0; e < Engines; ++e) {
        Program program(20, ring_doorbells(0x10000 * (e + 1), 0xffff, 4, e, e));
        program.push_back(halt());
        bench.run_program(e, program, 0x100000ull * (e + 1));
    }
    ASSERT_TRUE(bench.finish());
    const std::vector<Write>& writes = bench.memory.writes();
    ASSERT_EQ(writes.size(), 5u * 20 * 16);
    for (std::size_t i = 0; i < writes.size(); ++i) EXPECT_EQ(writes[i].id, writes[i / 16 * 16].id);
}

}  // namespace
}  // namespace trnsim::test
