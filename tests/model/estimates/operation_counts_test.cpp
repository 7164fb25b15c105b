#include "model/estimates/operation_counts.hpp"

#include <gtest/gtest.h>

namespace trnsim::estimates {
namespace {

using isa::AluOp;
using isa::Dtype;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

constexpr std::uint64_t Psum = isa::window::PsumBase;

Instruction shaped(Opcode opcode, std::uint64_t partitions, std::uint64_t count) {
    return Instruction(opcode)
        .set(field::Partitions, partitions)
        .set(field::Count0, count)
        .set(field::Count1, 1)
        .set(field::Count2, 1)
        .set(field::Count3, 1);
}

OperationCounts of(const Instruction& instruction, std::uint64_t passes = 1) {
    OperationCounts work;
    add(work, instruction, passes);
    return work;
}

Instruction matmul(Dtype dtype, bool accumulate) {
    return shaped(Opcode::MultiplyMoving, 32, 100)
        .set(field::Columns, 16)
        .set(field::ADtype, dtype)
        .set(field::DstDtype, Dtype::Fp32)
        .set(field::DstAddr, Psum)
        .set(field::Accumulate, accumulate ? 1 : 0);
}

TEST(OperationCounts, MatmulOverwriting) {
    const OperationCounts work = of(matmul(Dtype::Bf16, false));
    EXPECT_EQ(work.macs[static_cast<std::size_t>(Dtype::Bf16)], 32u * 16 * 100);
    EXPECT_EQ(work.all_macs(), 32u * 16 * 100);
    EXPECT_EQ(work.sbuf_bytes, 32u * 100 * 2);
    EXPECT_EQ(work.psum_bytes, 16u * 100 * 4);
    EXPECT_EQ(work.additions + work.multiplications, 0u);
}

TEST(OperationCounts, MatmulAccumulatingReadsToo) {
    EXPECT_EQ(of(matmul(Dtype::Bf16, true)).psum_bytes, 2u * 16 * 100 * 4);
}

TEST(OperationCounts, MatmulOfFourPasses) {
    const OperationCounts work = of(matmul(Dtype::Fp32, false), 4);
    EXPECT_EQ(work.all_macs(), 32u * 16 * 100) << "a multiply-accumulate stays one";
    EXPECT_EQ(work.sbuf_bytes, 4u * 32 * 100 * 4);
    EXPECT_EQ(work.psum_bytes, 7u * 16 * 100 * 4) << "four writes, three reads";
}

TEST(OperationCounts, TwoOperationsOfATensorScalar) {
    const OperationCounts work = of(shaped(Opcode::TensorScalar, 8, 10)
                                        .set(field::ADtype, Dtype::Bf16)
                                        .set(field::AAddr, Psum)
                                        .set(field::DstDtype, Dtype::Fp32)
                                        .set(field::Op0, AluOp::Multiply)
                                        .set(field::Op1, AluOp::Max));
    EXPECT_EQ(work.multiplications, 80u);
    EXPECT_EQ(work.additions, 80u);
    EXPECT_EQ(work.psum_bytes, 160u);
    EXPECT_EQ(work.sbuf_bytes, 320u);
}

TEST(OperationCounts, BypassIsNoOperationButACopyIsOne) {
    const OperationCounts bypass = of(shaped(Opcode::TensorScalar, 8, 10)
                                          .set(field::ADtype, Dtype::Fp32)
                                          .set(field::DstDtype, Dtype::Fp32)
                                          .set(field::Op0, AluOp::Add)
                                          .set(field::Op1, AluOp::Bypass));
    EXPECT_EQ(bypass.additions, 80u);
    const OperationCounts copy = of(
        shaped(Opcode::TensorCopy, 8, 10).set(field::ADtype, Dtype::Fp32).set(field::DstDtype, Dtype::Fp32));
    EXPECT_EQ(copy.additions, 80u);
}

TEST(OperationCounts, SecondOperandOnlyWhereThereIsOne) {
    Instruction instruction = shaped(Opcode::TensorTensor, 4, 10)
                                  .set(field::ADtype, Dtype::Fp32)
                                  .set(field::BDtype, Dtype::Bf16)
                                  .set(field::BAddr, Psum)
                                  .set(field::DstDtype, Dtype::Fp32)
                                  .set(field::Op0, AluOp::Add);
    EXPECT_EQ(of(instruction).psum_bytes, 80u);
    EXPECT_EQ(of(instruction).sbuf_bytes, 320u);
    // Only a predicated copy may have a constant instead of operand b.
    EXPECT_EQ(of(Instruction(instruction).set(field::BImmediate, 1)).psum_bytes, 80u);
    instruction.set(field::Opcode, Opcode::TensorCopyPredicated).set(field::Op0, AluOp::Bypass);
    EXPECT_EQ(of(instruction).psum_bytes, 80u);
    EXPECT_EQ(of(instruction.set(field::BImmediate, 1)).psum_bytes, 0u);
}

TEST(OperationCounts, ReductionWritesWhatIsLeft) {
    Instruction instruction = shaped(Opcode::TensorReduce, 4, 10)
                                  .set(field::Count1, 3)
                                  .set(field::ADtype, Dtype::Fp32)
                                  .set(field::DstDtype, Dtype::Fp32)
                                  .set(field::ReduceAxes, 1)
                                  .set(field::Op0, AluOp::Add);
    EXPECT_EQ(of(instruction).sbuf_bytes, 4u * (30 + 3) * 4);
    EXPECT_EQ(of(instruction).additions, 120u);
}

TEST(OperationCounts, ActivationsCostTheirPolynomial) {
    Instruction instruction = shaped(Opcode::Activation, 2, 5)
                                  .set(field::ADtype, Dtype::Fp32)
                                  .set(field::DstDtype, Dtype::Fp32)
                                  .set(field::ActFunction, isa::Activation::Exp);
    EXPECT_EQ(of(instruction).multiplications, 10u * 5);  // scale and degree 4
    EXPECT_EQ(of(instruction).additions, 10u * 6);
    instruction.set(field::ActFunction, isa::Activation::Relu);
    EXPECT_EQ(of(instruction).multiplications, 10u);
    EXPECT_EQ(of(instruction).additions, 20u);
}

TEST(OperationCounts, ControlInstructionsAndUnknownCodesAreNone) {
    EXPECT_EQ(of(Instruction(Opcode::Halt)), OperationCounts{});
    EXPECT_EQ(of(Instruction()), OperationCounts{});
}

TEST(OperationCounts, AddsUp) {
    OperationCounts work;
    add(work, matmul(Dtype::Bf16, false));
    add(work, matmul(Dtype::Fp16, false));
    EXPECT_EQ(work.all_macs(), 2u * 32 * 16 * 100);
    EXPECT_EQ(work.macs[static_cast<std::size_t>(Dtype::Fp16)], 32u * 16 * 100);
}

}  // namespace
}  // namespace trnsim::estimates
