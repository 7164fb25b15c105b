// Tests the Tensor engine of the interpreter: its refusals, and the signs of zeros in fp32 products.
#include "testbench/functional/tensor_engine.hpp"

#include <gtest/gtest.h>

#include <array>

#include "arch/numerics/format.hpp"
#include "compiler/kernels/targets.hpp"
#include "testbench/functional/error.hpp"
#include "testbench/functional/refusal.hpp"
#include "tests/arch/numerics/zero_signs.hpp"

namespace trnsim::functional {
namespace {

using isa::Dtype;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

constexpr std::uint32_t Stride = 0x40000;

Instruction operand(Opcode opcode, std::uint32_t partition, std::uint32_t partitions, std::uint32_t offset) {
    Instruction i(opcode);
    i.set(field::Count0, 1).set(field::Count1, 1).set(field::Count2, 1).set(field::Count3, 1);
    return i.set(field::Partitions, partitions)
        .set(field::ADtype, Dtype::Fp32)
        .set(field::AAddr, partition * Stride + offset);
}

void put(CoreMemory& memory, std::uint32_t partition, std::uint32_t offset, std::uint32_t bits) {
    memory.write(partition * Stride + offset, 4, bits);
}

// Executes instructions as the interpreter does: what a core refuses is refused first.
class CheckedEngine {
  public:
    void load_stationary(const Instruction& instruction, const CoreMemory& memory) {
        require_accepted(isa::Engine::Tensor, instruction, target_, {engine_, lanes_, lanes_});
        engine_.load_stationary(instruction, memory);
    }
    void multiply_moving(const Instruction& instruction, CoreMemory& memory) {
        require_accepted(isa::Engine::Tensor, instruction, target_, {engine_, lanes_, lanes_});
        engine_.multiply_moving(instruction, memory);
    }

  private:
    target::Core target_ = test::trn1_target();
    LaneState lanes_{target_, isa::Engine::Vector};
    TensorEngine engine_{target_};
};

// A stationary operand starts at row 0; with row_tile at row 0 or the middle row, as in the builder and the
// core.
TEST(TensorEngine, StationaryOperandsStartWhereTheCoreLetsThem) {
    CoreMemory memory(test::trn1_target());
    CheckedEngine engine;
    for (std::uint32_t partition = 0; partition < 128; ++partition) put(memory, partition, 0, 0x3f800000);
    for (const bool row_tile : {false, true}) {
        for (const std::uint32_t first : {0u, 32u, 64u, 96u}) {
            Instruction load = operand(Opcode::LoadStationary, first, 32, 0);
            load.set(field::RowTile, row_tile);
            if (first == 0 || (row_tile && first == 64))
                EXPECT_NO_THROW(engine.load_stationary(load, memory)) << first;
            else
                EXPECT_THROW(engine.load_stationary(load, memory), Error) << first;
        }
    }
}

TEST(TensorEngine, ZeroPartsKeepTheirSign) {
    for (const test::SignedProduct& product : test::signed_products()) {
        CoreMemory memory(test::trn1_target());
        CheckedEngine engine;
        for (std::uint32_t row = 0; row < product.stationary.size(); ++row) {
            put(memory, row, 0, product.stationary[row]);
            put(memory, row, 4, product.moving[row]);
        }
        const auto rows = static_cast<std::uint32_t>(product.stationary.size());
        engine.load_stationary(operand(Opcode::LoadStationary, 0, rows, 0), memory);
        memory.write_sum(isa::window::PsumBase, product.before);
        engine.multiply_moving(operand(Opcode::MultiplyMoving, 0, rows, 4)
                                   .set(field::Columns, 1)
                                   .set(field::Accumulate, product.accumulate)
                                   .set(field::DstDtype, Dtype::Fp32)
                                   .set(field::DstAddr, isa::window::PsumBase),
                               memory);
        EXPECT_EQ(memory.read(isa::window::PsumBase, 4), product.result) << product.what;
    }
}

// Each tile keeps its stationary operand, until the size of the tiles changes.
TEST(TensorEngine, TilesKeepTheirOperands) {
    CoreMemory memory(test::trn1_target());
    CheckedEngine engine;
    put(memory, 0, 0, 0x40000000);
    put(memory, 0, 4, 0x40400000);
    put(memory, 0, 8, 0x3f800000);
    const auto in_group = [](Instruction instruction, unsigned group) {
        return instruction.set(field::ColumnTile, 1).set(field::ColumnGroup, group);
    };
    const auto product = [&](const Instruction& multiply) {
        engine.multiply_moving(Instruction(multiply)
                                   .set(field::Columns, 1)
                                   .set(field::DstDtype, Dtype::Fp32)
                                   .set(field::DstAddr, isa::window::PsumBase),
                               memory);
        return memory.read(isa::window::PsumBase, 4);
    };
    const Instruction multiply = operand(Opcode::MultiplyMoving, 0, 1, 8);
    engine.load_stationary(in_group(operand(Opcode::LoadStationary, 0, 1, 0), 0), memory);
    engine.load_stationary(in_group(operand(Opcode::LoadStationary, 0, 1, 4), 1), memory);
    EXPECT_EQ(product(in_group(multiply, 0)), 0x40000000u);
    EXPECT_EQ(product(in_group(multiply, 1)), 0x40400000u);
    EXPECT_THROW(product(multiply), Error);
    EXPECT_THROW(engine.load_stationary(in_group(operand(Opcode::LoadStationary, 0, 1, 0), 2), memory),
                 Error);
    engine.load_stationary(operand(Opcode::LoadStationary, 0, 1, 0), memory);
    EXPECT_EQ(product(multiply), 0x40000000u);
    EXPECT_THROW(product(in_group(multiply, 1)), Error);
}

// 0/1 hints leave out the low parts of an fp32 operand, and a tf32 operand has none; infinities of the other
// operand do not meet them.
TEST(TensorEngine, OperandsWithoutLowParts) {
    constexpr std::uint32_t One = 0x3f800000, Odd = 0x3f800fff, Infinity = 0x7f800000;
    const auto product = [](const Instruction& load, std::uint32_t stationary, const Instruction& multiply,
                            std::uint32_t moving) {
        CoreMemory memory(test::trn1_target());
        CheckedEngine engine;
        put(memory, 0, 0, stationary);
        put(memory, 0, 4, moving);
        engine.load_stationary(load, memory);
        engine.multiply_moving(Instruction(multiply)
                                   .set(field::Columns, 1)
                                   .set(field::DstDtype, Dtype::Fp32)
                                   .set(field::DstAddr, isa::window::PsumBase),
                               memory);
        return static_cast<std::uint32_t>(memory.read(isa::window::PsumBase, 4));
    };
    const Instruction load = operand(Opcode::LoadStationary, 0, 1, 0);
    const Instruction multiply = operand(Opcode::MultiplyMoving, 0, 1, 4);
    const Instruction load_hint = Instruction(load).set(field::Onezero, 1);
    const Instruction multiply_hint = Instruction(multiply).set(field::Onezero, 1);
    EXPECT_EQ(product(load, Odd, multiply, One), Odd);
    EXPECT_EQ(product(load, Odd, multiply_hint, One), Odd);
    EXPECT_EQ(product(load_hint, Odd, multiply, One), One);
    EXPECT_EQ(product(load, One, multiply_hint, Odd), One);
    EXPECT_EQ(product(load_hint, One, multiply_hint, One), One);
    EXPECT_EQ(product(load, Odd, multiply_hint, Infinity), Infinity);
    const Instruction load_tf32 = Instruction(load).set(field::ADtype, Dtype::Tf32);
    EXPECT_EQ(product(load_tf32, One, multiply, Odd), Odd);
    EXPECT_EQ(product(load_tf32, Infinity, multiply, Odd), Infinity);
}

// Returns a matmul of one column from word `first` of a bank on, `step` words from each result to the next.
Instruction results(std::uint32_t rows, std::uint32_t offset, std::uint32_t count, int step) {
    return operand(Opcode::MultiplyMoving, 0, rows, offset)
        .set(field::Count0, count)
        .set_signed(field::AStep0, 1)
        .set_signed(field::DstStep0, step)
        .set(field::Columns, 1)
        .set(field::DstDtype, Dtype::Fp32)
        .set(field::DstAddr, isa::window::PsumBase);
}

// Results go to PSUM in the order of the moving elements, pass after pass. So a word that a matmul names
// several times holds the last product of the first pass and all products of later ones, or with accumulate
// its old value and all products. The expected values are written out by hand.
TEST(TensorEngine, AWordNamedTwiceTakesResultsInTheirOrder) {
    constexpr std::uint32_t One = 0x3f800000, Two = 0x40000000, Three = 0x40400000;
    constexpr std::uint32_t Odd = 0x3f800001;  // 1 + 2^-23: upper part 1, low part 2^-23
    const auto word_after = [&](Dtype dtype, std::uint32_t weight, std::array<std::uint32_t, 2> moving,
                                bool accumulate) {
        CoreMemory memory(test::trn1_target());
        CheckedEngine engine;
        put(memory, 0, 0, weight);
        put(memory, 0, 4, moving[0]);
        put(memory, 0, 8, moving[1]);
        memory.write_sum(isa::window::PsumBase, numerics::bits_of(16.0f));
        engine.load_stationary(operand(Opcode::LoadStationary, 0, 1, 0).set(field::ADtype, dtype), memory);
        engine.multiply_moving(
            results(1, 4, 2, 0).set(field::ADtype, dtype).set(field::Accumulate, accumulate), memory);
        return numerics::float_of(memory.read(isa::window::PsumBase, 4));
    };
    // One pass: the last result, or the sum of all.
    EXPECT_EQ(word_after(Dtype::Tf32, Two, {One, Three}, false), 6.0f);
    EXPECT_EQ(word_after(Dtype::Tf32, Two, {One, Three}, true), 16.0f + 2.0f + 6.0f);
    // Four passes, of which the first (low x low) overwrites with 0: the others add both products.
    EXPECT_EQ(word_after(Dtype::Fp32, Two, {One, Three}, false), 2.0f + 6.0f);
    // The low part of the weight times both moving elements, then the upper parts: 2^-23 + 2^-23 + 1 + 1.
    EXPECT_EQ(word_after(Dtype::Fp32, Odd, {One, One}, false), 2.0f + 0x1p-22f);
    EXPECT_EQ(word_after(Dtype::Fp32, Two, {One, Three}, true), 16.0f + 2.0f + 6.0f);
}

// A word that the same matmul has written before is a sum: accumulating onto it is no addition to nothing.
TEST(TensorEngine, OnlyTheFirstAdditionNeedsASum) {
    CoreMemory memory(test::trn1_target());
    CheckedEngine engine;
    for (std::uint32_t word = 0; word < 3; ++word) put(memory, 0, 4 * word, 0x3f800000);
    engine.load_stationary(operand(Opcode::LoadStationary, 0, 1, 0), memory);
    EXPECT_THROW(engine.multiply_moving(results(1, 4, 2, 0).set(field::Accumulate, 1), memory), Error);
    EXPECT_NO_THROW(engine.multiply_moving(results(1, 4, 2, 0), memory));
}

// A matmul may have fewer rows and fewer columns than are loaded: it takes the first ones.
TEST(TensorEngine, TakesFewerRowsAndColumnsThanAreLoaded) {
    CoreMemory memory(test::trn1_target());
    CheckedEngine engine;
    for (std::uint32_t row = 0; row < 3; ++row) {
        put(memory, row, 0, numerics::bits_of(static_cast<float>(1 + row)));    // column 0
        put(memory, row, 4, numerics::bits_of(static_cast<float>(10 + row)));   // column 1
        put(memory, row, 8, numerics::bits_of(static_cast<float>(100 + row)));  // moving
    }
    engine.load_stationary(
        operand(Opcode::LoadStationary, 0, 3, 0).set(field::Count0, 2).set_signed(field::AStep0, 1), memory);
    engine.multiply_moving(results(2, 8, 1, 1), memory);
    EXPECT_EQ(numerics::float_of(memory.read(isa::window::PsumBase, 4)), 1.0f * 100 + 2.0f * 101);
    engine.multiply_moving(results(1, 8, 1, 1).set(field::Columns, 2), memory);
    EXPECT_EQ(numerics::float_of(memory.read(isa::window::PsumBase, 4)), 100.0f);
    EXPECT_EQ(numerics::float_of(memory.read(isa::window::PsumBase + isa::window::PsumPartitionStride, 4)),
              1000.0f);
    EXPECT_THROW(engine.multiply_moving(results(4, 8, 1, 1), memory), Error);
    EXPECT_THROW(engine.multiply_moving(results(3, 8, 1, 1).set(field::Columns, 3), memory), Error);
}

}  // namespace
}  // namespace trnsim::functional
