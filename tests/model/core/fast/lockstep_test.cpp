// The fast core keeps the RTL's time to the cycle: both run side by side, and every pin is compared in every
// cycle.
#include "lockstep_programs.hpp"

#include "tests/common/temporary_directory.hpp"
#include "tests/rtl/control/loop_programs.hpp"

namespace trnsim::test {
namespace {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

TEST(Lockstep, Registers) {
    Lockstep both;
    for (const std::uint32_t address :
         {isa::csr::Status, isa::csr::EngineState, isa::csr::ErrorCode, isa::csr::EngineProgramLo})
        both.read32(address);
    both.write32(isa::window::SemInc, 5);
    both.read32(isa::window::SemRead);
    for (unsigned edge = 0; edge < 20; ++edge) both.bus_edge();
    expect_same(both);
}

TEST(Lockstep, ControlInstructions) {
    run_control(3 * scale());
}

// Tests loops, branches and scalar registers of all engines, with concurrent loads and stores of SBUF.
TEST(Lockstep, Loops) {
    for (std::uint64_t round = 0; round < 2 * scale(); ++round) {
        SCOPED_TRACE(round);
        Lockstep both(round, "trn1");  // the programs use partitions from 32 on
        both.fill(Ones);
        for (unsigned e = 0; e < tlm::Engines; ++e)
            both.load_and_start(e, base_of(e),
                                control_of(random_loop_program(both.random, static_cast<int>(e))));
        EXPECT_TRUE(both.finish());
        EXPECT_FALSE(both.out().error);
        expect_same(both);
        EXPECT_EQ(both.memories(), "");
    }
}

// Returns the address of a word that exists in the core window; with `wrong` any byte or any word of the
// window.
std::uint32_t window_address(const config::Core& core, std::mt19937_64& random, bool wrong) {
    const auto below = [&random](std::uint64_t count) {
        return static_cast<std::uint32_t>(random() % count);
    };
    if (wrong) return below(2) == 0 ? below(isa::window::Size) : below(isa::window::Size) & ~3U;
    const std::uint32_t partition = below(core.partitions);
    const auto stride = isa::sbuf_partition_stride(static_cast<std::uint32_t>(core.partitions));
    switch (below(6)) {
        case 0:
            return isa::window::GpsimdTcmBase + 4 * below(isa::window::GpsimdTcmStride / 4);
        case 1:
            return isa::window::SemRead + 4 * below(256);
        case 2:
        case 3:
            return isa::window::PsumBase + partition * isa::window::PsumPartitionStride +
                   4 * below(core.psum_partition / 4);
        default:
            return partition * stride + 4 * below(core.sbuf_partition / 4);
    }
}

// All engines load and store all over the core window, while the bus has its own accesses.
TEST(Lockstep, WindowAccesses) {
    unsigned faults = 0;
    for (std::uint64_t round = 0; round < 6 * scale(); ++round) {
        SCOPED_TRACE(round);
        Lockstep both(round);
        both.fill(Ones);
        both.put(isa::window::GpsimdTcmBase, std::vector<std::uint8_t>(isa::window::GpsimdTcmStride));
        const config::Core& core = both.config.core;
        for (unsigned e = 0; e < tlm::Engines; ++e) {
            Program program;
            for (unsigned i = 0; i < 60; ++i) {
                const bool wrong = round % 3 == 0 && both.random() % 64 == 0;
                const std::uint32_t address = window_address(core, both.random, wrong);
                const unsigned data = both.random() % 8, index = both.random() % 4 == 0 ? 9 : 0;
                if (index != 0) program.push_back(move_immediate(index, address));
                const std::uint32_t at = index != 0 ? 0 : address;
                const bool reads = both.random() % 2 == 0 || (address >= isa::window::EventBase && !wrong);
                program.push_back(reads ? load_register(data, at, index) : store_register(data, at, index));
            }
            program.push_back(halt());
            both.load_and_start(e, base_of(e), program);
        }
        for (unsigned i = 0; i < 60 && both.difference().empty(); ++i) {
            const std::uint32_t address = window_address(core, both.random, false);
            if (both.random() % 2 == 0 || address >= isa::window::EventBase)
                both.read32(address);
            else
                both.write32(address, static_cast<std::uint32_t>(both.random()));
        }
        EXPECT_TRUE(both.finish());
        faults += both.out().error ? 1 : 0;
        for (const std::uint32_t address : {isa::csr::ErrorCode, isa::csr::ErrorEngine, isa::csr::ErrorPc,
                                            isa::csr::ErrorAddress, isa::csr::ErrorOpcode})
            both.read32(address);
        expect_same(both);
        EXPECT_EQ(both.memories(), "");
    }
    std::printf("%u faults\n", faults);
    EXPECT_GT(faults, 0U);
}

TEST(Lockstep, Tensor) {
    run_rounds({Engine::Tensor}, 200);
}

TEST(Lockstep, Vector) {
    run_rounds({Engine::Vector}, 200);
}

TEST(Lockstep, Scalar) {
    run_rounds({Engine::Scalar}, 200);
}

TEST(Lockstep, AllEngines) {
    run_rounds({Engine::Tensor, Engine::Vector, Engine::Scalar}, 200);
}

// As many matmuls as possible are under way: they complete in order, after a long one of the other row group.
TEST(Lockstep, ShortMatmuls) {
    Lockstep both;
    both.fill(Ones);
    const auto of_group = [](Opcode opcode, unsigned row_group, unsigned columns) {
        return shaped(opcode, 8, columns)
            .set(field::ADtype, isa::Dtype::Bf16)
            .set(field::AAddr, row_group * 8 * isa::sbuf_partition_stride(16))
            .set(field::AStep0, 1)
            .set(field::RowTile, 1);
    };
    const auto matmul = [&](unsigned row_group, unsigned columns, std::uint32_t bank) {
        return of_group(Opcode::MultiplyMoving, row_group, columns)
            .set(field::Columns, 16)
            .set(field::DstDtype, isa::Dtype::Fp32)
            .set(field::DstAddr, isa::window::PsumBase + bank * 2048)
            .set(field::DstStep0, 1);
    };
    Program program{of_group(Opcode::LoadStationary, 0, 16), of_group(Opcode::LoadStationary, 1, 16),
                    matmul(0, 512, 0)};
    program.insert(program.end(), 60, matmul(1, 1, 1));
    program.push_back(halt());
    const auto e = static_cast<unsigned>(Engine::Tensor);
    both.load_and_start(e, base_of(e), program);
    EXPECT_TRUE(both.finish());
    EXPECT_FALSE(both.out().error);
    expect_same(both);
}

// There are more instructions than may be between hand-over and completion, after one that takes long.
TEST(Lockstep, ManyBehindALongOne) {
    Lockstep both;
    both.fill(Ones);
    const auto e = static_cast<unsigned>(Engine::Vector);
    Program program{data_path(static_cast<int>(e))
                        .set(field::Partitions, 16)
                        .set(field::Count0, 4000)
                        .set(field::Count1, 1)
                        .set(field::DstAddr, sbuf(0, 32768))};
    for (unsigned i = 0; i < 200; ++i) program.push_back(alu_immediate(isa::RegOp::Add, 1, 1, i));
    program.push_back(halt());
    both.load_and_start(e, base_of(e), program);
    EXPECT_TRUE(both.finish());
    EXPECT_FALSE(both.out().error);
    expect_same(both);
}

// Tests operations of Vector that have their own units, one directly after the other.
TEST(Lockstep, VectorUnits) {
    constexpr std::array Units{Opcode::BnStats,       Opcode::BnAggr,        Opcode::Max8,
                               Opcode::FindIndex8,    Opcode::MatchReplace8, Opcode::Rng,
                               Opcode::StreamShuffle, Opcode::TensorCopy};
    const auto e = static_cast<unsigned>(Engine::Vector);
    for (std::uint64_t round = 0; round < 4 * scale(); ++round) {
        SCOPED_TRACE(round);
        Lockstep both(round);
        both.fill(Ones);
        Program program;
        for (unsigned i = 0; i < 100; ++i) {
            const auto place = [&both] { return static_cast<std::uint32_t>(4 * (both.random() % 1000)); };
            const Opcode unit = Units[both.random() % (round % 2 == 0 ? 2 : Units.size())];
            const auto count = unit == Opcode::BnAggr    ? 3 * (1 + both.random() % 3)
                               : unit == Opcode::BnStats ? 1 + both.random() % 20
                                                         : 8 + both.random() % 4;
            const bool integers = unit == Opcode::FindIndex8 || unit == Opcode::Rng;
            program.push_back(shaped(unit, 16, count)
                                  .set(field::DstDtype, integers ? isa::Dtype::U32 : isa::Dtype::Fp32)
                                  .set(field::DstAddr, 8192 + place())
                                  .set(field::DstStep0, 1));
            Instruction& instruction = program.back();
            if (instruction.info()->uses_a)
                instruction.set(field::ADtype, isa::Dtype::Fp32)
                    .set(field::AAddr, place())
                    .set(field::AStep0, 1);
            if (instruction.info()->uses_b)
                instruction.set(field::BDtype, isa::Dtype::Fp32)
                    .set(field::BAddr, place())
                    .set(field::BStep0, 1);
        }
        program.push_back(halt());
        both.load_and_start(e, base_of(e), program);
        EXPECT_TRUE(both.finish());
        EXPECT_FALSE(both.out().error);
        expect_same(both);
    }
}

// Every change of every signal in the fast core's recording is in the RTL's, at the same time.
TEST(LockstepWaves, ControlInstructions) {
    const TemporaryDirectory folder;
    run_control(2 * scale(), folder / "");
}

TEST(LockstepWaves, AllEngines) {
    const TemporaryDirectory folder;
    run_rounds({Engine::Tensor, Engine::Vector, Engine::Scalar}, 100, folder / "");
}

TEST(LockstepWaves, Gpsimd) {
    const TemporaryDirectory folder;
    run_rounds({Engine::Gpsimd}, 6, folder / "");
}

TEST(LockstepWaves, AFault) {
    const TemporaryDirectory folder;
    Lockstep both;
    both.record(folder / "");
    Program program(3, Instruction(Opcode::Nop));
    program.push_back(Instruction(Opcode::Branch).set(field::Target, 100));
    const auto e = static_cast<unsigned>(Engine::Vector);
    both.load_and_start(e, base_of(e), program);
    EXPECT_TRUE(both.finish());
    EXPECT_TRUE(both.out().error);
    EXPECT_EQ(both.recorded(), "");
}

TEST(LockstepWaves, FromTheMiddleOfARunAndOfSomeScopes) {
    const TemporaryDirectory folder;
    Lockstep both;
    Program program(40, Instruction(Opcode::Nop));
    program.push_back(Instruction(Opcode::Halt));
    const auto e = static_cast<unsigned>(Engine::Tensor);
    both.load_and_start(e, base_of(e), program);
    for (unsigned edge = 0; edge < 30; ++edge) both.bus_edge();
    both.record(folder / "", {"tensor", "sync"});
    EXPECT_TRUE(both.finish());
    EXPECT_EQ(both.recorded(), "");
}

}  // namespace
}  // namespace trnsim::test
