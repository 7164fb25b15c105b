// The fast core keeps the RTL's time to the cycle: both side by side, every pin in every cycle.
#include "lockstep.hpp"

#include "firmware/include/trnsim/mailbox.hpp"
#include "gpsimd_stream.hpp"
#include "isa/disassembler.hpp"
#include "lib/activation/activation.hpp"
#include "lib/activation/table_image.hpp"
#include "lib/builder/microcode.hpp"
#include "lib/builder/target.hpp"
#include "lib/neff/images.hpp"
#include "testbench/random_programs/engine_generator.hpp"
#include "tests/common/temporary_directory.hpp"
#include "tests/rtl/control/loop_programs.hpp"

namespace trnsim::test {
namespace {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

constexpr std::uint64_t ProgramBase = 0x100000, TableBase = 0x4000000;
constexpr std::uint32_t Ones = 0x3f803f80;  // two bf16

std::uint64_t base_of(unsigned engine) {
    return ProgramBase * (engine + 1);
}

// No two engines write the same word of SBUF, which they might in the same cycle. Tensor's results are where no other engine writes: it
// adds to what it has written. So are GpSimd's operands, whose values count.
std::vector<random_programs::Area> areas(Engine engine) {
    if (engine == Engine::Gpsimd) return {{false, 4096, 4096}};
    if (engine == Engine::Tensor) return {{false, 0, 4096}, {true, 0, 2048}, {true, 4096, 2048}};
    return {{false, engine == Engine::Vector ? 0U : 2048U, 2048}, {true, 2048, 2048}, {true, 8192, 2048}};
}

Instruction shaped(Opcode opcode, std::uint64_t partitions, std::uint64_t inner, std::uint64_t outer = 1) {
    return Instruction(opcode)
        .set(field::Partitions, partitions)
        .set(field::Count0, inner)
        .set(field::Count1, outer)
        .set(field::Count2, 1)
        .set(field::Count3, 1);
}

// Random instructions of an engine; the values that they leave behind mean nothing.
class Generator {
  public:
    Generator(const config::Config& config, Engine engine, std::mt19937_64& random)
        : engine_(engine),
          target_(builder::target_of(config)),
          areas_(areas(engine)),
          geometry_{static_cast<unsigned>(config.core.partitions), buffers(areas_)},
          engines_(target_, geometry_, areas_, random),
          gpsimd_(target_, geometry_, random) {}

    Program program(std::size_t count) {
        Program program;
        while (program.size() < count) {
            for (const random_programs::Step& step : next()) {
                if (step.engine != engine_) continue;
                Instruction instruction = step.instruction;
                if (instruction.opcode() == Opcode::MultiplyMoving) instruction.set(field::Accumulate, 0);
                program.push_back(instruction);
            }
        }
        return program;
    }

  private:
    std::vector<random_programs::Step> next() {
        return engine_ == Engine::Gpsimd ? gpsimd_.steps() : engines_.next(aim_);
    }
    static std::vector<random_programs::Area> buffers(const std::vector<random_programs::Area>& areas) {
        std::vector<random_programs::Area> result;
        for (const auto& area : areas)
            for (std::uint32_t offset = 0; offset < area.bytes; offset += 512)
                result.push_back({area.psum, area.offset + offset, 512});
        return result;
    }

    Engine engine_;
    neff::Target target_;
    std::vector<random_programs::Area> areas_;
    random_programs::Geometry geometry_;
    random_programs::Aim aim_;
    random_programs::EngineGenerator engines_;
    random_programs::GpsimdGenerator gpsimd_;
};

// Loads of tables get those of their set.
void place_tables(Lockstep& both, Program& program) {
    for (Instruction& instruction : program) {
        if (instruction.opcode() != Opcode::ActTableLoad) continue;
        const auto set = instruction.get(field::TableSet);
        const std::vector<std::uint8_t> image = activation::table_image(static_cast<isa::ActivationSet>(set));
        const std::uint64_t address = TableBase + set * 0x1000000;
        both.put_tables(address, image);
        instruction.set(field::TableAddress, address)
            .set(field::TableBeats, image.size() / activation::BeatBytes);
    }
}

std::string text_of(const Program& program) {
    std::string text;
    for (std::size_t i = 0; i < program.size(); ++i)
        text += std::to_string(i) + ": " + isa::disassemble(program[i]) + "\n";
    return text;
}

void expect_same(const Lockstep& both) {
    ASSERT_EQ(both.difference(), "");
    EXPECT_EQ(both.counted(), "");
}

// The registers of the first fault and of the first NaN. Behind tables that could not be loaded the RTL goes on with what is there.
void expect_same_faults(Lockstep& both) {
    for (const std::uint32_t address :
         {isa::csr::Status, isa::csr::ErrorEngine, isa::csr::ErrorPc, isa::csr::ErrorAddress,
          isa::csr::ErrorOpcode, isa::csr::PsumUnfounded})
        both.read32(address);
    if (both.read32(isa::csr::ErrorCode) == static_cast<std::uint32_t>(isa::Error::ActivationTable)) return;
    for (const std::uint32_t address :
         {isa::csr::NumericError, isa::csr::NumericEngine, isa::csr::NumericPc, isa::csr::NumericOpcode})
        both.read32(address);
}

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

// Of instructions of the data path nothing but waits and updates.
Program control_of(Program program) {
    for (Instruction& instruction : program) {
        if (is_control(instruction)) continue;
        Instruction nop(Opcode::Nop);
        for (const isa::Field* part : {&field::WaitMode, &field::WaitSem, &field::WaitValue,
                                       &field::UpdateMode, &field::UpdateSem, &field::UpdateValue})
            nop.set(*part, instruction.get(*part));
        instruction = nop;
    }
    return program;
}

// Waits, updates, writes and doorbells for all engines.
std::vector<Program> control_programs(std::mt19937_64& random) {
    std::vector<Program> programs;
    for (const Program& program : random_programs(random, 60).program)
        programs.push_back(control_of(program));
    return programs;
}

// All engines at once; recorded where there is a folder for it.
void run_control(std::uint64_t rounds, const std::filesystem::path& folder = {}) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
        Lockstep both(round);
        if (!folder.empty()) both.record(folder);
        const std::vector<Program> programs = control_programs(both.random);
        for (unsigned e = 0; e < tlm::Engines; ++e) both.load_and_start(e, base_of(e), programs[e]);
        EXPECT_TRUE(both.finish());
        expect_same(both);
        if (!folder.empty()) {
            EXPECT_EQ(both.recorded(), "");
        }
    }
}
TEST(Lockstep, ControlInstructions) {
    run_control(3 * scale());
}

// Loops, branches and scalar registers of all engines, with loads and stores of SBUF beside each other.
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

// A word of the core window where there is something, now and then a byte off or just anywhere.
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

// Loads and stores of all engines all over the core window, while the bus has accesses of its own.
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

// The microcode is put into the cores; their engine's program starts them.
Instruction load_microcode(Lockstep& both) {
    const neff::ImageContents image =
        neff::contents_of(builder::microcode_image(builder::target_of(both.config)));
    const unsigned cores = tlm::core_fast::gpsimd_cores(both.config.core);
    for (unsigned k = 0; k < cores; ++k) both.put(neff::gpsimd_place(k, image.address), image.bytes);
    return Instruction(Opcode::GpsimdStart)
        .set(field::CoreMask, (1U << cores) - 1)
        .set(field::Boot, image.entry);
}

// Returns how many instructions have completed.
// Recorded where there is a folder for it.
std::size_t run_engines(const std::vector<Engine>& engines, std::size_t count, std::uint64_t round,
                        const std::filesystem::path& folder = {}) {
    Lockstep both(round);
    both.fill(Ones);
    if (!folder.empty()) both.record(folder);
    for (const Engine engine : engines) {
        const auto e = static_cast<unsigned>(engine);
        Program program = Generator(both.config, engine, both.random).program(count);
        place_tables(both, program);
        if (engine == Engine::Gpsimd) program.insert(program.begin(), load_microcode(both));
        program.push_back(Instruction(Opcode::Halt));
        both.load_and_start(e, base_of(e), program);
    }
    EXPECT_TRUE(both.finish());
    expect_same(both);
    if (engines == std::vector{Engine::Gpsimd}) {
        EXPECT_EQ(both.memories(), "");
    }
    if (!folder.empty()) {
        EXPECT_EQ(both.recorded(), "");
        std::printf("%zu changes recorded\n", both.recorded_changes());
    }
    std::size_t completed = 0;
    for (const Engine engine : engines) completed += both.completions(static_cast<unsigned>(engine)).size();
    return completed;
}

// Of `count` instructions each.
void run_rounds(const std::vector<Engine>& engines, std::size_t count,
                const std::filesystem::path& folder = {}) {
    std::size_t completed = 0;
    for (std::uint64_t round = 0; round < scale() && !testing::Test::HasFailure(); ++round) {
        SCOPED_TRACE(round);
        completed += run_engines(engines, count, round, folder);
    }
    std::printf("%zu instructions\n", completed);
    EXPECT_GT(completed, scale() * count / 2);
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
TEST(Lockstep, Gpsimd) {
    run_rounds({Engine::Gpsimd}, 8);
}
// As many matmuls under way as there may be: behind a long one of the other row group, as they complete in order.
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

// More instructions than there may be between hand-over and completion, behind one that is at work for long.
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

// Every core executes random code of its own, traps among it.
void run_streams(const std::string& configuration, unsigned kind, std::uint64_t round) {
    SCOPED_TRACE(configuration + ", kind " + std::to_string(kind) + ", round " + std::to_string(round));
    Lockstep both(round * StreamKinds + kind, configuration, Values::Computed);
    both.fill(Ones);
    const unsigned cores = tlm::core_fast::gpsimd_cores(both.config.core);
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
// A core that a command does not wake.
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
// Counters, and interrupts that are let in at any time behind the one that wakes a core.
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
// They share a port of SBUF.
TEST(Lockstep, GpsimdAndVector) {
    run_rounds({Engine::Vector, Engine::Gpsimd}, 12);
}
// The bus has the memories of the cores while these work.
TEST(Lockstep, GpsimdMemories) {
    Lockstep both;
    both.fill(Ones);
    Program program = Generator(both.config, Engine::Gpsimd, both.random).program(6);
    program.insert(program.begin(), load_microcode(both));
    program.push_back(Instruction(Opcode::Halt));
    const auto e = static_cast<unsigned>(Engine::Gpsimd);
    both.load_and_start(e, base_of(e), program);
    const std::uint32_t heap = TRNSIM_HEAP_BASE - TRNSIM_TCM_BASE + isa::window::GpsimdTcmBase;
    for (unsigned k = 0; k < 50; ++k) {
        both.write32(heap + 4 * k, 7 * k + 1);
        EXPECT_EQ(both.read32(heap + 4 * k), 7 * k + 1);
        both.read32(isa::csr::GpsimdState);
    }
    EXPECT_TRUE(both.finish());
    expect_same(both);
    EXPECT_EQ(both.memories(), "");
}
TEST(Lockstep, AllEngines) {
    run_rounds({Engine::Tensor, Engine::Vector, Engine::Scalar}, 200);
}

// Values as well as time, of `count` instructions.
void run_values(Lockstep& both, Engine engine, std::size_t count) {
    both.fill_at_random();
    const auto e = static_cast<unsigned>(engine);
    Program program = Generator(both.config, engine, both.random).program(count);
    place_tables(both, program);
    program.push_back(halt());
    both.load_and_start(e, base_of(e), program);
    EXPECT_TRUE(both.finish());
    EXPECT_FALSE(both.out().error);
    both.read32(isa::csr::PsumUnfounded);
    both.read32(isa::csr::NumericError);
    // Of matmuls beside each other the RTL names the one whose row comes first.
    if (engine != Engine::Tensor) both.read32(isa::csr::NumericPc);
    expect_same(both);
    EXPECT_EQ(both.memories(), "");
}
constexpr std::array ComputingEngines{Engine::Tensor, Engine::Vector, Engine::Scalar};

TEST(Lockstep, Values) {
    struct Kind {
        const char* configuration;
        std::uint64_t rounds;
        std::size_t count;
    };
    for (const Kind& kind : {Kind{"small16", 4 * scale(), 100}, Kind{"trn1", scale(), 40}}) {
        for (std::uint64_t round = 0; round < kind.rounds; ++round) {
            for (const Engine engine : ComputingEngines) {
                SCOPED_TRACE(std::string(kind.configuration) + ", " + std::string(isa::name_of(engine)) +
                             ", round " + std::to_string(round));
                Lockstep both(round, kind.configuration, Values::Computed);
                run_values(both, engine, kind.count);
            }
        }
    }
}

// Patterns of more elements than are worked on at a time (lib/fast), in which rows of the innermost counts begin anywhere.
TEST(Lockstep, ManyElements) {
    for (const Engine engine : {Engine::Vector, Engine::Scalar}) {
        SCOPED_TRACE(isa::name_of(engine));
        Lockstep both(0, "small16", Values::Computed);
        both.fill_at_random();
        Program program;
        for (unsigned i = 0; i < 60; ++i) {
            const bool reduces = engine == Engine::Vector && i % 3 == 0;
            const std::uint64_t inner = 1 + both.random() % 700, outer = 1 + 2000 / inner;
            Instruction instruction = shaped(reduces ? Opcode::TensorReduce : Opcode::TensorCopy,
                                             1 + both.random() % 16, inner, outer);
            instruction.set(field::ADtype, isa::Dtype::Fp32)
                .set(field::AAddr, 4 * (both.random() % 1000))
                .set(field::AStep0, 1)
                .set(field::AStep1, inner + both.random() % 3)
                .set(field::DstDtype, isa::Dtype::Fp32)
                .set(field::DstAddr, 32768 + 4 * (both.random() % 1000))
                .set(field::DstStep0, 1)
                .set(field::DstStep1, reduces ? 0 : inner);
            if (reduces) instruction.set(field::ReduceAxes, 1).set(field::Op0, isa::AluOp::Add);
            program.push_back(instruction);
        }
        program.push_back(halt());
        const auto e = static_cast<unsigned>(engine);
        both.load_and_start(e, base_of(e), program);
        EXPECT_TRUE(both.finish());
        EXPECT_FALSE(both.out().error);
        expect_same_faults(both);
        expect_same(both);
        EXPECT_EQ(both.memories(), "");
    }
}

// The same instructions mean something else to another engine: Scalar copies integers by way of fp32.
TEST(Lockstep, TheSameInstructionsOnTwoEngines) {
    Lockstep both(0, "small16", Values::Computed);
    Program program;
    for (unsigned i = 0; i < 20; ++i)
        program.push_back(shaped(Opcode::TensorCopy, 16, 5 + i)
                              .set(field::ADtype, isa::Dtype::I32)
                              .set(field::AAddr, 128 * i)
                              .set(field::AStep0, 1)
                              .set(field::DstDtype, isa::Dtype::I32)
                              .set(field::DstAddr, 8192 + 128 * i)
                              .set(field::DstStep0, 1));
    program.push_back(halt());
    for (const Engine engine : {Engine::Vector, Engine::Scalar, Engine::Vector}) {
        SCOPED_TRACE(isa::name_of(engine));
        both.fill_at_random();
        const auto e = static_cast<unsigned>(engine);
        both.load_and_start(e, base_of(e), program);
        EXPECT_TRUE(both.finish());
        EXPECT_FALSE(both.out().error);
        EXPECT_EQ(both.memories(), "");
    }
    expect_same(both);
}

// The end of a program whose beginning a reset has undone.
TEST(Lockstep, HalfOfAProgramBehindAReset) {
    unsigned faults = 0;
    for (std::uint64_t round = 0; round < 6 * scale(); ++round) {
        for (const Engine engine : ComputingEngines) {
            SCOPED_TRACE(std::string(isa::name_of(engine)) + ", round " + std::to_string(round));
            Lockstep both(round, "small16", Values::Computed);
            both.fill(Ones);
            if (engine == Engine::Tensor) both.forget_time();  // of sums onto words without one
            const auto e = static_cast<unsigned>(engine);
            Program program = Generator(both.config, engine, both.random).program(30);
            place_tables(both, program);
            program.push_back(halt());
            both.load_and_start(e, base_of(e), program);
            EXPECT_TRUE(both.finish());
            EXPECT_FALSE(both.out().error);
            both.reset(10);
            const Program end(program.begin() + static_cast<std::ptrdiff_t>(both.random() % program.size()),
                              program.end());
            SCOPED_TRACE(text_of(end));
            both.load_and_start(e, base_of(e) + ProgramBase / 2, end);
            EXPECT_TRUE(both.finish());
            for (unsigned edge = 0; edge < 10'000; ++edge) both.bus_edge();
            faults += both.out().error ? 1 : 0;
            for (const std::uint32_t address : {isa::csr::ErrorCode, isa::csr::ErrorEngine, isa::csr::ErrorPc,
                                                isa::csr::ErrorAddress, isa::csr::ErrorOpcode})
                both.read32(address);
            EXPECT_EQ(both.difference(), "");
        }
    }
    std::printf("%u faults\n", faults);
    EXPECT_GT(faults, 2 * scale());
}

// A sum and a function of a table from before a reset.
TEST(Lockstep, NothingIsLoadedBehindAReset) {
    const auto of_fp32 = [](Opcode opcode) {
        return shaped(opcode, 16, 8).set(field::ADtype, isa::Dtype::Fp32).set(field::AStep0, 1);
    };
    const auto result = [](Instruction instruction, std::uint32_t address) {
        return instruction.set(field::DstDtype, isa::Dtype::Fp32)
            .set(field::DstAddr, address)
            .set(field::DstStep0, 1);
    };
    const Instruction matmul =
        result(of_fp32(Opcode::MultiplyMoving), isa::window::PsumBase).set(field::Columns, 8);
    const Instruction sum = Instruction(matmul).set(field::Accumulate, 1);
    const Instruction exp =
        result(of_fp32(Opcode::Activation), 8192).set(field::ActFunction, isa::Activation::Exp);
    unsigned set = 1;
    while (!activation::in_set(isa::Activation::Exp, static_cast<isa::ActivationSet>(set))) ++set;
    const Instruction table = Instruction(Opcode::ActTableLoad).set(field::TableSet, set);
    struct Case {
        Engine engine;
        Program before, after;
        isa::Error error;
    };
    const Instruction load = of_fp32(Opcode::LoadStationary);
    for (const Case& test :
         {Case{Engine::Tensor, {load, matmul, sum}, {load, sum}, isa::Error::PsumAccumulate},
          Case{Engine::Scalar, {table, exp}, {exp}, isa::Error::ActivationTable}}) {
        SCOPED_TRACE(isa::name_of(test.engine));
        Lockstep both(0, "small16", Values::Computed);
        both.fill(Ones);
        both.forget_time();  // of the sum, which the fast core refuses when it is done
        const auto e = static_cast<unsigned>(test.engine);
        Program before = test.before, after = test.after;
        place_tables(both, before);
        before.push_back(halt());
        after.push_back(halt());
        both.load_and_start(e, base_of(e), before);
        EXPECT_TRUE(both.finish());
        EXPECT_FALSE(both.out().error);
        both.reset(10);
        both.load_and_start(e, base_of(e) + ProgramBase / 2, after);
        EXPECT_TRUE(both.finish());
        for (unsigned edge = 0; edge < 2000; ++edge) both.bus_edge();
        EXPECT_EQ(both.read32(isa::csr::ErrorCode), static_cast<std::uint32_t>(test.error));
        EXPECT_EQ(both.difference(), "");
    }
}

// A beat of a table whose tag has a wrong bit, or that says it is of a bank that there is not.
TEST(Lockstep, BeatsThatAreNoTable) {
    constexpr std::size_t BankByte =
        2;  // of the header: bits 0 and 1 are the upper ones of the bank, here of the first
    for (const auto& [byte, value] : {std::pair<std::size_t, std::uint8_t>{3, 2}, {3, 0x80}, {BankByte, 3}}) {
        SCOPED_TRACE(byte);
        Lockstep both(0, "small16", Values::Computed);
        std::vector<std::uint8_t> image = activation::table_image(static_cast<isa::ActivationSet>(1));
        image[5 * activation::BeatBytes + byte] ^= value;
        both.put_tables(TableBase, image);
        const auto e = static_cast<unsigned>(Engine::Scalar);
        both.load_and_start(e, base_of(e),
                            {Instruction(Opcode::ActTableLoad)
                                 .set(field::TableSet, 1)
                                 .set(field::TableAddress, TableBase)
                                 .set(field::TableBeats, image.size() / activation::BeatBytes),
                             halt()});
        EXPECT_TRUE(both.finish());
        EXPECT_EQ(both.read32(isa::csr::ErrorCode), static_cast<std::uint32_t>(isa::Error::ActivationTable));
        expect_same_faults(both);
        expect_same(both);
    }
}

// What an engine keeps between instructions is gone: operands, tables, accumulators, generators, the switch of stochastic rounding.
TEST(Lockstep, Resets) {
    for (std::uint64_t round = 0; round < 2 * scale(); ++round) {
        for (const Engine engine : ComputingEngines) {
            SCOPED_TRACE(std::string(isa::name_of(engine)) + ", round " + std::to_string(round));
            Lockstep both(round, "small16", Values::Computed);
            both.write32(isa::csr::SrControl, 1);
            both.write32(isa::csr::SrSeed, static_cast<std::uint32_t>(both.random()));
            run_values(both, engine, 30);
            both.reset(1 + static_cast<unsigned>(both.random() % 40));
            run_values(both, engine, 30);
        }
    }
}

// Sums onto words without one: the RTL refuses them with the first row, the fast core when the matmul is done.
TEST(Lockstep, SumsOntoNothing) {
    unsigned faults = 0;
    for (std::uint64_t round = 0; round < 10 * scale(); ++round) {
        SCOPED_TRACE(round);
        Lockstep both(round, "small16", Values::Computed);
        both.fill(Ones);
        both.forget_time();
        const auto e = static_cast<unsigned>(Engine::Tensor);
        Program program = Generator(both.config, Engine::Tensor, both.random).program(20);
        for (Instruction& instruction : program)
            if (instruction.opcode() == Opcode::MultiplyMoving && both.random() % 8 == 0)
                instruction.set(field::Accumulate, 1);
        program.push_back(halt());
        both.load_and_start(e, base_of(e), program);
        SCOPED_TRACE(text_of(program));
        EXPECT_TRUE(both.finish());
        for (unsigned edge = 0; edge < 10'000; ++edge) both.bus_edge();  // what was under way ends
        faults += both.out().error ? 1 : 0;
        for (const std::uint32_t address : {isa::csr::ErrorCode, isa::csr::ErrorEngine, isa::csr::ErrorPc,
                                            isa::csr::ErrorAddress, isa::csr::ErrorOpcode})
            both.read32(address);
        EXPECT_EQ(both.difference(), "");
    }
    std::printf("%u faults\n", faults);
    EXPECT_GT(faults, scale());
}

// One bit of one instruction is another one, in a field of it more often than not.
void flip_a_bit(Program& program, std::mt19937_64& random) {
    Instruction& instruction = program[random() % program.size()];
    std::array<std::uint8_t, isa::InstructionBytes> bytes;
    std::ranges::copy(instruction.bytes(), bytes.begin());
    std::uint64_t bit = random() % (8 * bytes.size());
    if (instruction.info() != nullptr && random() % 8 != 0) {
        const auto fields = instruction.info()->fields;
        const isa::Field& field = *fields[random() % fields.size()];
        bit = field.offset + random() % field.width;
    }
    bytes[bit / 8] ^= 1U << bit % 8;
    instruction = Instruction(bytes);
    // Of a sum onto words without one the RTL tells with the first row, the fast core when the matmul is done.
    if (instruction.opcode() == Opcode::MultiplyMoving) instruction.set(field::Accumulate, 0);
}

// Every engine's instructions with a wrong bit: refused at the same time for the same reason, or executed in the same time.
TEST(Lockstep, Faults) {
    unsigned faults = 0;
    for (std::uint64_t round = 0; round < 40 * scale() && !testing::Test::HasFailure(); ++round) {
        for (unsigned e = 0; e < tlm::Engines; ++e) {
            const auto engine = static_cast<Engine>(e);
            SCOPED_TRACE(std::string(isa::name_of(engine)) + ", round " + std::to_string(round));
            Lockstep both(round, "small16", Values::Computed);
            both.fill(Ones);
            Program program;
            if (round % 2 != 0 || engine == Engine::Sync) {
                program = random_programs(both.random, 12).program[e];
            } else {
                program = Generator(both.config, engine, both.random).program(6);
                place_tables(both, program);
                if (engine == Engine::Gpsimd) program.insert(program.begin(), load_microcode(both));
                program.push_back(Instruction(Opcode::Halt));
            }
            flip_a_bit(program, both.random);
            SCOPED_TRACE(text_of(program));
            both.load_and_start(e, base_of(e), program);
            constexpr std::uint64_t Enough = 20'000;  // a wait may have nobody to end it
            both.finish(Enough);
            faults += both.out().error ? 1 : 0;
            expect_same_faults(both);
            expect_same(both);
        }
    }
    std::printf("%u faults\n", faults);
    EXPECT_GT(faults, 20 * scale());
}

// All engines at work when one is refused an instruction, reads none, or has a write that fails: the others end as on the RTL.
TEST(Lockstep, FaultsBesideOthers) {
    unsigned faults = 0;
    for (std::uint64_t round = 0; round < 12 * scale() && !testing::Test::HasFailure(); ++round) {
        SCOPED_TRACE(round);
        Lockstep both(round);
        both.fill(Ones);
        std::vector<Program> programs = control_programs(both.random);
        const unsigned wrong = static_cast<unsigned>(both.random() % tlm::Engines);
        const unsigned kind = round % 3;
        if (kind == 0) flip_a_bit(programs[wrong], both.random);
        if (kind == 1) programs[wrong].resize(1 + both.random() % programs[wrong].size());
        for (unsigned word = 0; kind == 2 && word < 1000; ++word)
            if (both.random() % 4 == 0) both.memory.fail_writes(0x100000000000 + 4 * word);
        for (unsigned e = 0; e < tlm::Engines; ++e) both.load_and_start(e, base_of(e), programs[e]);
        // Behind the end of what is there nothing answers.
        if (kind == 1) both.write32(isa::csr::EngineProgramLength + isa::csr::EngineStride * wrong, 0);
        constexpr std::uint64_t Enough = 20'000;  // a wait may have nobody to end it
        both.finish(Enough);
        faults += both.out().error ? 1 : 0;
        expect_same_faults(both);
        expect_same(both);
    }
    std::printf("%u faults\n", faults);
    EXPECT_GT(faults, 4 * scale());
}

// Operations of Vector with units of their own, one right behind the other.
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

// An instruction that is refused when nothing else is under way, so that no other reason keeps the clock of the control running.
TEST(Lockstep, AFaultAlone) {
    Lockstep both;
    const auto e = static_cast<unsigned>(Engine::Sync);
    Program program{Instruction(Opcode::EventSemaphore)
                        .set(field::WaitMode, isa::WaitMode::Ge)
                        .set(field::WaitSem, 1)
                        .set(field::WaitValue, 1)};
    program.push_back(Instruction(Opcode::Branch).set(field::Target, 100));
    both.load_and_start(e, base_of(e), program);
    for (unsigned edge = 0; edge < 1000; ++edge) both.bus_edge();
    both.write32(isa::window::SemInc + 4, 1);
    for (unsigned edge = 0; edge < 1000; ++edge) both.bus_edge();
    EXPECT_TRUE(both.out().error);
    expect_same_faults(both);
    expect_same(both);
}

// The notification queue, without NaNs, as values mean nothing.
constexpr std::uint32_t NumericKind = 1U << (8 + static_cast<unsigned>(isa::Notification::Numeric));
constexpr std::uint64_t NotifyBase = 0x7'1234'5670;
constexpr std::array NotifyRegisters{isa::csr::NotifyBaseLo,  isa::csr::NotifyBaseHi,  isa::csr::NotifySize,
                                     isa::csr::NotifyControl, isa::csr::NotifyWritten, isa::csr::NotifyRead,
                                     isa::csr::NotifyDropped, isa::csr::NotifyStatus};

void set_up_notifications(Lockstep& both, std::uint32_t size) {
    both.write32(isa::csr::NotifyBaseLo, static_cast<std::uint32_t>(NotifyBase));
    both.write32(isa::csr::NotifyBaseHi, NotifyBase >> 32);
    both.write32(isa::csr::NotifySize, size);
    const bool stops = both.random() % 4 == 0;
    const auto engines = static_cast<std::uint32_t>(both.random() % 4 == 0 ? both.random() % 32 : 31),
               kinds = static_cast<std::uint32_t>(both.random() % 4 == 0 ? both.random() % 8 : 7);
    both.write32(isa::csr::NotifyControl, (stops ? 1U << 16 : 0) | kinds << 8 | engines);
}

void read_notification_registers(Lockstep& both) {
    for (const std::uint32_t address : NotifyRegisters) both.read32(address);
}

// Something of what a reader does, or should not.
void use_notifications(Lockstep& both) {
    const auto word = static_cast<std::uint32_t>(both.random());
    switch (both.random() % 16) {
        case 0:
            both.write32(NotifyRegisters[both.random() % NotifyRegisters.size()], word & ~NumericKind);
            break;
        case 1:
            both.write32(isa::csr::NotifyControl, 0);
            break;
        case 2:
            both.write32(isa::csr::NotifyControl, (word % 4 == 0 ? word : 0x71fU) & ~NumericKind);
            break;
        case 3:
            both.write32(isa::csr::NotifySize, 1U << word % 27 | (word >> 8) % 8 / 7);
            break;
        case 4:
            both.write32(isa::csr::NotifyBaseLo, word % 4 == 0 ? word : word & ~0xfU);
            break;
        default:
            both.write32(isa::csr::NotifyRead, both.read32(isa::csr::NotifyWritten) - word % 8 / 7);
            break;
    }
}

// Queues that are large or full at once, read often, seldom or never, with answers that fail, switched off and on.
TEST(Lockstep, Notifications) {
    unsigned records = 0, drops = 0, overflows = 0;
    for (std::uint64_t round = 0; round < 6 * scale() && !testing::Test::HasFailure(); ++round) {
        SCOPED_TRACE(round);
        Lockstep both(round);
        both.fill(Ones);
        std::vector<Program> programs = control_programs(both.random);
        for (const Engine engine : {Engine::Tensor, Engine::Vector, Engine::Scalar}) {
            if (round % 2 == 0) break;
            Program& program = programs[static_cast<unsigned>(engine)];
            program = Generator(both.config, engine, both.random).program(60);
            place_tables(both, program);
            program.push_back(Instruction(Opcode::Halt));
        }
        const std::uint32_t size = 1U << both.random() % 9;
        if (both.random() % 4 == 0) both.memory.set_latency(1000);  // many records without an answer
        if (both.random() % 2 == 0) both.memory.fail_writes(NotifyBase + 16 * (both.random() % size));
        read_notification_registers(both);
        set_up_notifications(both, size);
        for (unsigned e = 0; e < tlm::Engines; ++e) both.load_and_start(e, base_of(e), programs[e]);
        const auto pause = 1 + both.random() % 400;
        const bool reads = both.random() % 4 != 0;
        for (unsigned look = 0; look < 100; ++look) {
            for (std::uint64_t edge = 0; edge < pause; ++edge) both.bus_edge();
            if (reads) use_notifications(both);
        }
        both.finish(20'000);  // a queue of no room may have stopped the core
        read_notification_registers(both);
        for (const std::uint32_t address :
             {isa::csr::Status, isa::csr::ErrorEngine, isa::csr::ErrorPc, isa::csr::ErrorOpcode})
            both.read32(address);
        expect_same(both);
        records += both.memory.records().size();
        drops += both.read32(isa::csr::NotifyDropped) != 0 ? 1 : 0;
        overflows +=
            both.read32(isa::csr::ErrorCode) == static_cast<std::uint32_t>(isa::Error::NotificationOverflow)
                ? 1
                : 0;
    }
    std::printf("%u records, %u queues with events dropped, %u cores stopped\n", records, drops, overflows);
    EXPECT_GT(records, 100 * scale());
}

// As many records without an answer as there may be.
TEST(Lockstep, NotificationsWithoutAnswers) {
    Lockstep both;
    both.write32(isa::csr::NotifySize, 1024);
    both.write32(isa::csr::NotifyControl, 0x71f);
    Program program(100, Instruction(Opcode::Nop));
    program.push_back(halt());
    for (unsigned e = 0; e < tlm::Engines; ++e) both.load_and_start(e, base_of(e), program);
    for (unsigned edge = 0; edge < 200; ++edge) both.bus_edge();  // the programs have come
    both.memory.set_latency(3000);
    EXPECT_TRUE(both.finish());
    for (unsigned edge = 0; edge < 20'000; ++edge) both.bus_edge();
    read_notification_registers(both);
    EXPECT_NE(both.read32(isa::csr::NotifyDropped), 0U);
    expect_same(both);
}

// Every change of every signal of the fast core's recording is in the RTL's, at the same time.
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
