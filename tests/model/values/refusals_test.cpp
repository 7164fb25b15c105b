// Tests what the fast core refuses, and what it reports in addition to results.
#include <gtest/gtest.h>

#include "arch/config/config.hpp"
#include "model/values/check.hpp"
#include "model/values/functional_core.hpp"
#include "testbench/random_programs/vector_instructions.hpp"

namespace trnsim::fast {
namespace {

namespace field = isa::field;
using isa::Dtype;
using isa::Engine;
using isa::Error;
using isa::Instruction;
using isa::Opcode;
using random_programs::Tensors;

constexpr std::uint32_t PsumBase = isa::window::PsumBase;

Tensors two_tiles() {
    Tensors t;
    t.partitions = 128;
    t.count = {100, 1, 1, 1};
    t.dst = {.offset = 4096};
    t.a = {.offset = 0};
    t.b = {.offset = 8192};
    return t;
}

Instruction load(std::uint32_t rows, std::uint32_t columns) {
    Tensors t;
    t.partitions = rows;
    t.count = {columns, 1, 1, 1};
    t.a = {.offset = 0, .dtype = Dtype::Bf16};
    Instruction i(Opcode::LoadStationary);
    set_shape(i, t);
    set_a(i, t.a);
    return i;
}

Instruction multiply(std::uint32_t rows, std::uint32_t columns, std::uint32_t elements, bool accumulate) {
    Tensors t;
    t.partitions = rows;
    t.count = {elements, 1, 1, 1};
    t.dst = {.psum = true, .offset = 0};
    t.a = {.offset = 1024, .dtype = Dtype::Bf16};
    Instruction i(Opcode::MultiplyMoving);
    set_shape(i, t);
    set_dst(i, t.dst);
    set_a(i, t.a);
    return i.set(field::Columns, columns).set(field::Accumulate, accumulate);
}

struct FastRefusals : testing::Test {
    config::Config config = config::load("trn1");
    FunctionalCore core{config.core};
    Fault refused(Engine engine, const Instruction& instruction) {
        return core.issue(engine, instruction.bytes()).refused;
    }
    Effects run(Engine engine, const Instruction& instruction) {
        const Issued issued = core.issue(engine, instruction.bytes());
        EXPECT_EQ(issued.refused.code, Error::None);
        return core.execute(*issued.operation);
    }
};

TEST_F(FastRefusals, NamesTheOperand) {
    const Instruction good = random_programs::tensor_tensor(two_tiles(), {isa::AluOp::Add});
    EXPECT_EQ(refused(Engine::Vector, good), Fault{});
    const auto changed = [&](auto change) {
        Tensors t = two_tiles();
        change(t);
        return refused(Engine::Vector, random_programs::tensor_tensor(t, {isa::AluOp::Add}));
    };
    EXPECT_EQ(changed([](Tensors& t) { t.a.offset = 2; }), (Fault{Error::AddressAlign, 2}));
    EXPECT_EQ(changed([](Tensors& t) { t.dst.offset = 192 * 1024 - 396; }),
              (Fault{Error::AddressRange, 192 * 1024 - 396}));
    EXPECT_EQ(changed([](Tensors& t) { t.b.offset = 192 * 1024; }), (Fault{Error::AddressRange, 192 * 1024}));
    EXPECT_EQ(changed([](Tensors& t) { t.b.partition = 1; }),
              (Fault{Error::PartitionRange, (1U << 18) + 8192}));
    EXPECT_EQ(changed([](Tensors& t) { t.partitions = 33, t.a.partition = 32; }),
              (Fault{Error::PartitionStart, 32U << 18}));
    EXPECT_EQ(changed([](Tensors& t) { t.dst.offset = 4; }), (Fault{Error::OperandOverlap, 0}));
    EXPECT_EQ(changed([](Tensors& t) { t.dst.offset = 8196; }), (Fault{Error::OperandOverlap, 8192}));
    EXPECT_EQ(changed([](Tensors& t) { t.dst.offset = 8192; }), Fault{});
    const auto in_place = [](Tensors& t) {
        t.count = {4, 3, 1, 1};
        t.dst.offset = t.a.offset;
    };
    EXPECT_EQ(changed([&](Tensors& t) { in_place(t), t.a.step[1] = t.dst.step[1] = 4; }), Fault{});
    EXPECT_EQ(changed([&](Tensors& t) { in_place(t), t.a.step[1] = t.dst.step[1] = 3; }),
              (Fault{Error::OperandOverlap, 0}));
    EXPECT_EQ(changed([](Tensors& t) { t.count[2] = 0; }), (Fault{Error::Shape, 0}));
    EXPECT_EQ(changed([](Tensors& t) { t.partitions = 0; }), (Fault{Error::PartitionRange, 0}));
    EXPECT_EQ(changed([](Tensors& t) { t.a.dtype = static_cast<Dtype>(12); }), (Fault{Error::Dtype, 0}));
    EXPECT_EQ(changed([](Tensors& t) { t.a.psum = t.b.psum = true; }), (Fault{Error::UnsupportedOperand, 0}));
}

TEST_F(FastRefusals, KnowsTheEngines) {
    const Instruction copy = random_programs::tensor_copy(two_tiles());
    EXPECT_EQ(refused(Engine::Vector, copy), Fault{});
    EXPECT_EQ(refused(Engine::Scalar, copy), Fault{});
    EXPECT_EQ(refused(Engine::Tensor, copy).code, Error::IllegalInstruction);
    EXPECT_EQ(refused(Engine::Vector, load(1, 1)).code, Error::IllegalInstruction);
    EXPECT_EQ(refused(Engine::Vector, Instruction(Opcode::Nop)).code, Error::IllegalInstruction);
}

TEST_F(FastRefusals, MatmulNeedsItsStationaryOperand) {
    EXPECT_EQ(refused(Engine::Tensor, multiply(8, 4, 16, false)).code, Error::StationaryOperand);
    run(Engine::Tensor, load(8, 4));
    EXPECT_EQ(refused(Engine::Tensor, multiply(8, 4, 16, false)), Fault{});
    EXPECT_EQ(refused(Engine::Tensor, multiply(9, 4, 16, false)).code, Error::StationaryOperand);
    EXPECT_EQ(refused(Engine::Tensor, multiply(8, 5, 16, false)).code, Error::StationaryOperand);
    EXPECT_EQ(refused(Engine::Tensor, multiply(8, 4, 513, false)).code, Error::Shape);
    const Instruction crossing = multiply(8, 4, 16, false).set(field::DstAddr, PsumBase + 2048 - 32);
    EXPECT_EQ(refused(Engine::Tensor, crossing), (Fault{Error::BankCrossing, PsumBase + 2048 - 32}));
}

TEST_F(FastRefusals, ActivationNeedsItsTables) {
    Instruction exp(Opcode::Activation);
    const Tensors t = two_tiles();
    set_shape(exp, t);
    set_dst(exp, t.dst);
    set_a(exp, t.a);
    exp.set(field::ActFunction, isa::Activation::Exp).set_float(field::Scale, 1.0F);
    EXPECT_EQ(refused(Engine::Scalar, exp).code, Error::ActivationTable);
    Instruction load_tables(Opcode::ActTableLoad);
    load_tables.set(field::TableSet, isa::ActivationSet::GeluAndOthers).set(field::TableBeats, 1);
    run(Engine::Scalar, load_tables);
    EXPECT_EQ(refused(Engine::Scalar, exp), Fault{});
    std::vector<std::uint8_t> no_beat(512);
    EXPECT_FALSE(core.load_table_beat(no_beat));
}

TEST_F(FastRefusals, AddingToWhatNoMatmulWroteIsNoted) {
    run(Engine::Tensor, load(8, 4));
    EXPECT_EQ(run(Engine::Tensor, multiply(8, 4, 16, false)).unfounded, 0U);
    EXPECT_EQ(run(Engine::Tensor, multiply(8, 4, 16, true)).unfounded, 0U);
    // Another agent writes one word of column 2, element 5.
    const std::array<std::uint8_t, 1> byte{1};
    core.memories().write({MemoryId::Psum, 2, 5 * 4 + 3}, byte);
    const Effects effects = run(Engine::Tensor, multiply(8, 4, 16, true));
    EXPECT_EQ(effects.unfounded, 1U);
    const Fault expected =
        config.core.psum_strict != 0 ? Fault{Error::PsumAccumulate, PsumBase + 2 * 0x4000 + 5 * 4} : Fault{};
    EXPECT_EQ(effects.fault, expected);
    EXPECT_EQ(run(Engine::Tensor, multiply(8, 4, 16, true)).unfounded, 0U);
}

TEST_F(FastRefusals, NanIsNoted) {
    const Tensors t = two_tiles();
    EXPECT_FALSE(run(Engine::Vector, random_programs::tensor_copy(t)).nan);
    const std::array<std::uint8_t, 4> infinity{0, 0, 0x80, 0x7f}, nan{1, 0, 0x80, 0xff};
    core.memories().write({MemoryId::Sbuf, 77, 99 * 4}, infinity);
    EXPECT_FALSE(run(Engine::Vector, random_programs::tensor_copy(t)).nan);
    core.memories().write({MemoryId::Sbuf, 77, 99 * 4}, nan);
    EXPECT_TRUE(run(Engine::Vector, random_programs::tensor_copy(t)).nan);
    EXPECT_TRUE(run(Engine::Vector, random_programs::tensor_tensor(t, {isa::AluOp::Add})).nan);
}

// Words that nothing has written, by operand: a word of two elements counts once, and what an instruction or
// another agent writes is written.
TEST_F(FastRefusals, ReadsOfUnwrittenWordsAreNoted) {
    Tensors t = two_tiles();  // copies [128, 100] fp32 from byte 0 to byte 4096
    const auto expect = [&](const Instruction& instruction, std::uint32_t words, std::uint32_t address) {
        const Unwritten unwritten = run(Engine::Vector, instruction).unwritten;
        EXPECT_EQ(unwritten.words, words);
        EXPECT_EQ(unwritten.address, address);
    };
    expect(random_programs::tensor_copy(t), 128 * 100, 0);
    const std::array<std::uint8_t, 1> byte{1};
    core.memories().write({MemoryId::Sbuf, 0, 3}, byte);
    expect(random_programs::tensor_copy(t), 128 * 100 - 1,
           core.memories().window_address({MemoryId::Sbuf, 1, 0}));
    t.a.offset = 4096;
    t.dst.offset = 16384;
    expect(random_programs::tensor_copy(t), 0, 0);
    // Byte 8192 and after is unwritten; of a bf16 operand 50 words, with a step of two elements 100.
    t.b.offset = 8192;
    expect(random_programs::tensor_tensor(t, {isa::AluOp::Add}), 128 * 100, 8192);
    t.a = {.offset = 8192, .dtype = Dtype::Bf16};
    expect(random_programs::tensor_copy(t), 128 * 50, 8192);
    t.a.step[0] = 2;
    expect(random_programs::tensor_copy(t), 128 * 100, 8192);
    // A per-partition operand counts if the engine reads it.
    t.a = {.offset = 4096};
    const auto scalar = [&](isa::AluOp op) {
        return random_programs::tensor_scalar(t, {op}, {8192, true}, {}, {});
    };
    expect(scalar(isa::AluOp::Add), 128, 8192);
    expect(scalar(isa::AluOp::Relu), 0, 0);
    // A shuffle leaves rows out.
    random_programs::ShuffleMask mask;
    mask.fill(KeepRow);
    mask[1] = 1;
    run(Engine::Vector, random_programs::load_shuffle_mask(mask));
    t.dst.offset = 32768;
    expect(random_programs::stream_shuffle(t), 0, 0);
    t.a.offset = 32768;
    t.dst.offset = 65536;
    expect(random_programs::tensor_copy(t), 124 * 100, 32768);
    core.restart();
    t.a.offset = 16384;
    expect(random_programs::tensor_copy(t), 128 * 100, 16384);
}

}  // namespace
}  // namespace trnsim::fast
