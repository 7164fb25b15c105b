// Tests the Tensor engine of the interpreter: its refusals, and the signs of zeros in fp32 products.
#include "testbench/functional/tensor_engine.hpp"

#include <gtest/gtest.h>

#include <array>

#include "arch/numerics/format.hpp"
#include "compiler/kernels/targets.hpp"
#include "testbench/functional/error.hpp"
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

// A stationary operand starts at row 0; with row_tile at row 0 or the middle row, as in the builder and the
// core.
TEST(TensorEngine, StationaryOperandsStartWhereTheCoreLetsThem) {
    CoreMemory memory(test::trn1_target());
    TensorEngine engine(test::trn1_target());
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
        TensorEngine engine(test::trn1_target());
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
    TensorEngine engine(test::trn1_target());
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
        TensorEngine engine(test::trn1_target());
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

}  // namespace
}  // namespace trnsim::functional
