// Tests faults in lockstep: which instructions are refused, when, and how the other engines end.
#include "lockstep_programs.hpp"

namespace trnsim::test {
namespace {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

// If two tiles of the array work at the same time, the RTL reports the one with the earlier row, the fast
// core the one that ends first. So this keeps all sums in the tile of the first sum.
void sum_in_one_tile(Program& program) {
    const auto tile = [](const Instruction& instruction) {
        constexpr std::uint64_t Half = 8 * isa::sbuf_partition_stride(16);
        return std::pair(instruction.get(field::AAddr) / Half, instruction.get(field::ColumnGroup));
    };
    const Instruction* first = nullptr;
    for (Instruction& instruction : program) {
        if (instruction.opcode() != Opcode::MultiplyMoving || instruction.get(field::Accumulate) == 0)
            continue;
        if (first == nullptr) first = &instruction;
        if (tile(instruction) != tile(*first)) instruction.set(field::Accumulate, 0);
    }
}

// Sums are added onto words that hold none: the RTL refuses them with the first row, the fast core when the
// matmul is done.
TEST(Lockstep, SumsOntoNothing) {
    unsigned faults = 0;
    for (std::uint64_t round = 0; round < 10 * scale(); ++round) {
        SCOPED_TRACE(round);
        Lockstep both(round, "small16", Values::Computed);
        both.fill(Ones);
        both.forget_time();
        const auto e = static_cast<unsigned>(Engine::Tensor);
        Program program = engine_program(both, Engine::Tensor, 20);
        for (Instruction& instruction : program)
            if (instruction.opcode() == Opcode::MultiplyMoving && both.random() % 8 == 0)
                instruction.set(field::Accumulate, 1);
        sum_in_one_tile(program);
        program.push_back(halt());
        both.load_and_start(e, base_of(e), program);
        SCOPED_TRACE(text_of(program));
        EXPECT_TRUE(both.finish());
        for (unsigned edge = 0; edge < 10'000; ++edge) both.bus_edge();  // the work under way ends
        faults += both.out().error ? 1 : 0;
        for (const std::uint32_t address : {isa::csr::ErrorCode, isa::csr::ErrorEngine, isa::csr::ErrorPc,
                                            isa::csr::ErrorAddress, isa::csr::ErrorOpcode})
            both.read32(address);
        EXPECT_EQ(both.difference(), "");
    }
    std::printf("%u faults\n", faults);
    EXPECT_GT(faults, scale());
}

// Flips one bit of one instruction, mostly in one of its fields.
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
    // When a sum is added onto words that hold none, the RTL reports it with the first row, the fast core
    // when the matmul is done.
    if (instruction.opcode() == Opcode::MultiplyMoving) instruction.set(field::Accumulate, 0);
}

// Runs to the end or for a while, as a wait may never end. Returns whether the core has stopped.
bool stops(Lockstep& both) {
    constexpr std::uint64_t Enough = 20'000;
    both.finish(Enough);
    expect_same_faults(both);
    expect_same(both);
    return both.out().error;
}

// Every engine's instructions have a wrong bit: they are refused at the same time for the same reason, or
// executed in the same time.
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
                program = engine_program(both, engine, 6);
                place_tables(both, program);
                if (engine == Engine::Gpsimd) program.insert(program.begin(), load_microcode(both));
                program.push_back(Instruction(Opcode::Halt));
            }
            flip_a_bit(program, both.random);
            SCOPED_TRACE(text_of(program));
            both.load_and_start(e, base_of(e), program);
            faults += stops(both) ? 1 : 0;
        }
    }
    std::printf("%u faults\n", faults);
    EXPECT_GT(faults, 20 * scale());
}

// All engines work when one has an instruction refused, cannot read one, or has a write that fails: the
// others end as on the RTL.
TEST(Lockstep, FaultsBesideOthers) {
    unsigned faults = 0;
    for (std::uint64_t round = 0; round < 12 * scale() && !testing::Test::HasFailure(); ++round) {
        SCOPED_TRACE(round);
        Lockstep both(round, "small16", Values::Computed);
        both.fill(Ones);
        std::vector<Program> programs = control_programs(both.random);
        const unsigned wrong = static_cast<unsigned>(both.random() % tlm::Engines);
        const unsigned kind = round % 3;
        if (kind == 0) flip_a_bit(programs[wrong], both.random);
        if (kind == 1) programs[wrong].resize(1 + both.random() % programs[wrong].size());
        for (unsigned word = 0; kind == 2 && word < 1000; ++word)
            if (both.random() % 4 == 0) both.memory.fail_writes(0x100000000000 + 4 * word);
        SCOPED_TRACE(text_of(programs[wrong]));
        for (unsigned e = 0; e < tlm::Engines; ++e) both.load_and_start(e, base_of(e), programs[e]);
        // The length 0 is no bound: the engine fetches past the end of its program, where memory holds
        // nothing.
        if (kind == 1) both.write32(isa::csr::EngineProgramLength + isa::csr::EngineStride * wrong, 0);
        faults += stops(both) ? 1 : 0;
    }
    std::printf("%u faults\n", faults);
    EXPECT_GT(faults, 4 * scale());
}

// An instruction is refused when nothing else is under way, so that no other reason keeps the control's clock
// running.
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

}  // namespace
}  // namespace trnsim::test
