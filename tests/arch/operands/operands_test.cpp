#include "arch/operands/operands.hpp"

#include <gtest/gtest.h>

#include <set>

#include "isa/instruction.hpp"

namespace trnsim::operands {
namespace {

namespace field = isa::field;
using isa::AluOp;
using isa::Instruction;
using isa::Opcode;
using isa::Role;

Instruction shaped(Opcode opcode, std::uint64_t partitions, const isa::Counts& counts) {
    Instruction instruction(opcode);
    instruction.set(field::Partitions, partitions);
    for (std::size_t d = 0; d < counts.size(); ++d) instruction.set(*isa::count_fields()[d], counts[d]);
    return instruction;
}

Extent of(const Instruction& instruction, Role role, std::uint32_t quadrant = 32) {
    for (const isa::OperandInfo& operand : isa::operands_of(*instruction.info()))
        if (operand.role == role) return extent_of(instruction.bytes(), operand, quadrant);
    ADD_FAILURE() << "no such operand";
    return {};
}

TEST(Extent, OfAMatmulHasAPartitionForEachColumn) {
    const Instruction matmul = shaped(Opcode::MultiplyMoving, 97, {11, 3, 1, 1}).set(field::Columns, 53);
    EXPECT_EQ(of(matmul, Role::Dst).partitions, 53u);
    EXPECT_EQ(of(matmul, Role::A).partitions, 97u);
    EXPECT_EQ(of(matmul, Role::Dst).counts, (isa::Counts{11, 3, 1, 1}));
}

// A single block that is smaller than the quadrant's square is turned, for any number of partitions and
// elements.
TEST(Extent, OfATransposedBlock) {
    for (const std::uint32_t quadrant : {2u, 4u, 32u}) {
        for (std::uint32_t partitions = 0; partitions <= 4 * quadrant; ++partitions) {
            for (std::uint32_t elements = 0; elements <= 2 * quadrant; ++elements) {
                const Instruction turn = shaped(Opcode::TransposeBlock, partitions, {elements, 1, 1, 1});
                const bool square = partitions == quadrant && elements == quadrant;
                const bool one = partitions <= quadrant && elements <= quadrant && elements != 0 && !square;
                ASSERT_EQ(turns_one_block(turn.bytes(), quadrant), one) << partitions << "x" << elements;
                const Extent dst = of(turn, Role::Dst, quadrant), a = of(turn, Role::A, quadrant);
                ASSERT_EQ(dst.counts[0], one ? partitions : elements);
                ASSERT_EQ(dst.partitions, one ? elements : partitions);
                ASSERT_EQ(a.counts[0], elements);
                ASSERT_EQ(a.partitions, partitions);
            }
        }
    }
    EXPECT_EQ(of(shaped(Opcode::TransposeBlock, 5, {3, 7, 1, 1}), Role::Dst).partitions, 21u);
    EXPECT_FALSE(
        turns_one_block(shaped(Opcode::TransposeBlock, 5, {65535, 65535, 65535, 65535}).bytes(), 32));
    EXPECT_FALSE(turns_one_block(shaped(Opcode::TensorCopy, 5, {3, 7, 1, 1}).bytes(), 32));
}

// Operations that take one value, as docs/instruction-semantics.md lists them.
const std::set<AluOp> OfOne{AluOp::Bypass,     AluOp::LogicalNot, AluOp::BitwiseNot, AluOp::Abs,
                            AluOp::Reciprocal, AluOp::Square,     AluOp::Relu};

TEST(Immediates, AreReadByOperationsOfTwoValues) {
    using Reads = std::array<bool, 2>;
    const auto reads = [](isa::Engine engine, const Instruction& i) {
        return reads_immediates(engine, i.bytes());
    };
    for (const isa::EnumValue& value : isa::alu_op_values()) {
        const auto op = static_cast<AluOp>(value.value);
        for (const bool reverse : {false, true}) {
            const bool two = !OfOne.contains(op) || reverse;
            const bool scalar_two = op != AluOp::Bypass || reverse;
            for (const Opcode opcode : {Opcode::TensorScalar, Opcode::TensorScalarReduce,
                                        Opcode::TensorScalarCumulative, Opcode::ScalarTensorTensor}) {
                const Instruction first =
                    Instruction(opcode).set(field::Op0, op).set(field::Reverse0, reverse);
                EXPECT_EQ(reads(isa::Engine::Vector, first), (Reads{two, false})) << value.name;
            }
            const Instruction both = Instruction(Opcode::TensorScalar)
                                         .set(field::Op1, op)
                                         .set(field::Reverse1, reverse)
                                         .set(field::Op0, AluOp::Add);
            EXPECT_EQ(reads(isa::Engine::Vector, both), (Reads{true, two})) << value.name;
            EXPECT_EQ(reads(isa::Engine::Scalar, both), (Reads{true, scalar_two})) << value.name;
        }
    }
    const std::set<Opcode> always{Opcode::Memset, Opcode::TensorTensorScan, Opcode::SelectReduce,
                                  Opcode::Dropout, Opcode::MatchReplace8};
    for (const isa::InstructionInfo& info : isa::instructions()) {
        const Instruction plain(info.opcode);
        EXPECT_EQ(reads(isa::Engine::Vector, plain), (Reads{always.contains(info.opcode), false}))
            << info.name;
        const bool activates = info.opcode == Opcode::Activation || info.opcode == Opcode::ActivationReduce;
        EXPECT_EQ(reads(isa::Engine::Scalar, plain), (Reads{activates, activates})) << info.name;
    }
    EXPECT_EQ(reads(isa::Engine::Vector, Instruction(Opcode::TensorCopyPredicated).set(field::BImmediate, 1)),
              (Reads{true, false}));
    EXPECT_EQ(reads(isa::Engine::Vector,
                    Instruction(Opcode::TensorScalarReduce).set(field::ReduceCmd, isa::ReduceCmd::Reset)),
              (Reads{false, true}));
}

TEST(Immediates, InPsum) {
    const auto found = [](Instruction i) { return reads_immediate_in_psum(isa::Engine::Vector, i.bytes()); };
    const auto add = Instruction(Opcode::TensorScalar).set(field::Op1, AluOp::Add).set(field::Imm1Vector, 1);
    EXPECT_TRUE(found(Instruction(add).set(field::Imm1, isa::window::PsumBase)));
    EXPECT_FALSE(found(Instruction(add).set(field::Imm1, isa::window::PsumBase - 4)));
    EXPECT_FALSE(found(Instruction(add).set(field::Imm1, isa::window::PsumBase).set(field::Imm1Vector, 0)));
    EXPECT_FALSE(
        found(Instruction(add).set(field::Imm1, isa::window::PsumBase).set(field::Op1, AluOp::Bypass)));
    EXPECT_FALSE(found(Instruction(add).set(field::Imm0, isa::window::PsumBase).set(field::Imm0Vector, 1)));
}

}  // namespace
}  // namespace trnsim::operands
