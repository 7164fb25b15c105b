// Compares values in lockstep, in addition to time: results of instructions, and the state after a reset.
#include "lockstep_programs.hpp"
#include "testbench/random_programs/vector_instructions.hpp"

#include "arch/activation/activation.hpp"
#include "arch/activation/table_image.hpp"

namespace trnsim::test {
namespace {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

// Compares values as well as time of `count` instructions.
void run_values(Lockstep& both, Engine engine, std::size_t count) {
    both.fill_at_random();
    const auto e = static_cast<unsigned>(engine);
    Program program = engine_program(both, engine, count);
    place_tables(both, program);
    program.push_back(halt());
    both.load_and_start(e, base_of(e), program);
    EXPECT_TRUE(both.finish());
    EXPECT_FALSE(both.out().error);
    both.read32(isa::csr::PsumUnfounded);
    both.read32(isa::csr::NumericError);
    // If matmuls overlap, the RTL names the one with the earlier row.
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

// Patterns have more elements than are computed at a time (model/values); rows of the innermost counts begin
// anywhere in such a block.
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

// The same instructions have another meaning on another engine: Scalar converts integers to fp32 and back.
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

// Runs the end of a program after a reset has undone its beginning.
TEST(Lockstep, HalfOfAProgramBehindAReset) {
    unsigned faults = 0;
    for (std::uint64_t round = 0; round < 6 * scale(); ++round) {
        for (const Engine engine : ComputingEngines) {
            SCOPED_TRACE(std::string(isa::name_of(engine)) + ", round " + std::to_string(round));
            Lockstep both(round, "small16", Values::Computed);
            both.fill(Ones);
            if (engine == Engine::Tensor) both.forget_time();  // because of sums onto words that hold none
            const auto e = static_cast<unsigned>(engine);
            Program program = engine_program(both, engine, 30);
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

// A sum and a function need state from before a reset.
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
        both.forget_time();  // because of the sum, which the fast core refuses when it is done
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

// A beat of a table has a tag with a wrong bit, or the number of a bank that does not exist.
TEST(Lockstep, BeatsThatAreNoTable) {
    constexpr std::size_t BankByte =
        2;  // a byte of the header; its bits 0 and 1 are the upper bits of the bank, here of the first
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

// A reset clears everything that an engine keeps between instructions: operands, tables, accumulators,
// generators, the switch of stochastic rounding.
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

// Both count the words that engines read before anything had written them, and name the first and its reader.
TEST(Lockstep, ReadsOfUnwrittenWords) {
    Lockstep both(0, "small16", Values::Computed);
    random_programs::Tensors t;
    t.partitions = 4;
    t.count = {6, 1, 1, 1};
    t.a = {.partition = 8, .offset = 0x1000};
    t.dst = {.offset = 0x2000};
    Program program{random_programs::tensor_copy(t)};
    t.a.dtype = t.dst.dtype = isa::Dtype::Bf16;  // half as many words
    t.a.offset = 0x3000;
    program.push_back(random_programs::tensor_copy(t));
    t.a = {.offset = 0x2000};  // what the first one has written
    t.dst = {.psum = true, .offset = 0x100};
    program.push_back(random_programs::tensor_copy(t));
    t.a = {.psum = true, .offset = 0x104};  // five words written, one not
    t.dst = {.offset = 0x4000};
    program.push_back(random_programs::tensor_copy(t));
    program.emplace_back(isa::Opcode::Halt);
    const auto engine = static_cast<unsigned>(isa::Engine::Vector);
    both.load_and_start(engine, base_of(engine), program);
    EXPECT_TRUE(both.finish());
    expect_same(both);
    for (const tlm::CoreModel* core : {&both.rtl(), &both.fast()}) {
        const tlm::MemoryCounts counts = core->memory_counts();
        EXPECT_EQ(counts.unwritten, 4u * 6 + 4 * 3 + 4);
        EXPECT_EQ(counts.unwritten_address, (8u << 18) + 0x1000);
        EXPECT_EQ(counts.unwritten_reader, engine);
    }
}

}  // namespace
}  // namespace trnsim::test
