#include "lockstep_programs.hpp"

#include "arch/activation/table_image.hpp"
#include "arch/target/target.hpp"
#include "compiler/builder/microcode.hpp"
#include "compiler/neff/images.hpp"
#include "isa/disassembler.hpp"
#include "testbench/random_programs/engine_generator.hpp"

namespace trnsim::test {
namespace {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

// Returns the areas of an engine. No two engines write the same word of SBUF, as they might do so in the same
// cycle. No other engine writes to Tensor's results, because Tensor adds to them, or to GpSimd's operands,
// because their values count.
std::vector<random_programs::Area> areas(Engine engine) {
    if (engine == Engine::Gpsimd) return {{false, 4096, 4096}};
    if (engine == Engine::Tensor) return {{false, 0, 4096}, {true, 0, 2048}, {true, 4096, 2048}};
    return {{false, engine == Engine::Vector ? 0U : 2048U, 2048}, {true, 2048, 2048}, {true, 8192, 2048}};
}

// Makes random instructions of an engine. The values of their results mean nothing.
class Generator {
  public:
    Generator(const config::Config& config, Engine engine, std::mt19937_64& random)
        : engine_(engine),
          target_(target::of(config)),
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
    target::Core target_;
    std::vector<random_programs::Area> areas_;
    random_programs::Geometry geometry_;
    random_programs::Aim aim_;
    random_programs::EngineGenerator engines_;
    random_programs::GpsimdGenerator gpsimd_;
};

}  // namespace

std::uint64_t base_of(unsigned engine) {
    return ProgramBase * (engine + 1);
}

Instruction shaped(Opcode opcode, std::uint64_t partitions, std::uint64_t inner, std::uint64_t outer) {
    return Instruction(opcode)
        .set(field::Partitions, partitions)
        .set(field::Count0, inner)
        .set(field::Count1, outer)
        .set(field::Count2, 1)
        .set(field::Count3, 1);
}

Program engine_program(Lockstep& both, Engine engine, std::size_t count) {
    return Generator(both.config, engine, both.random).program(count);
}

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

std::vector<Program> control_programs(std::mt19937_64& random) {
    std::vector<Program> programs;
    for (const Program& program : random_programs(random, 60).program)
        programs.push_back(control_of(program));
    return programs;
}

void run_control(std::uint64_t rounds, const std::filesystem::path& folder) {
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

Instruction load_microcode(Lockstep& both) {
    const neff::ImageContents image = neff::contents_of(builder::microcode_image(target::of(both.config)));
    const unsigned cores = tlm::gpsimd_cores(both.config.core.partitions);
    for (unsigned k = 0; k < cores; ++k) both.put(neff::gpsimd_place(k, image.address), image.bytes);
    return Instruction(Opcode::GpsimdStart)
        .set(field::CoreMask, (1U << cores) - 1)
        .set(field::Boot, image.entry);
}

namespace {

// Returns the number of instructions that have completed. Records waves if `folder` is given.
std::size_t run_engines(const std::vector<Engine>& engines, std::size_t count, std::uint64_t round,
                        const std::filesystem::path& folder = {}) {
    Lockstep both(round);
    both.fill(Ones);
    if (!folder.empty()) both.record(folder);
    for (const Engine engine : engines) {
        const auto e = static_cast<unsigned>(engine);
        Program program = engine_program(both, engine, count);
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

}  // namespace

void run_rounds(const std::vector<Engine>& engines, std::size_t count, const std::filesystem::path& folder) {
    std::size_t completed = 0;
    for (std::uint64_t round = 0; round < scale() && !testing::Test::HasFailure(); ++round) {
        SCOPED_TRACE(round);
        completed += run_engines(engines, count, round, folder);
    }
    std::printf("%zu instructions\n", completed);
    EXPECT_GT(completed, scale() * count / 2);
}

}  // namespace trnsim::test
