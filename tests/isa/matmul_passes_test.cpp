#include "isa/matmul_passes.hpp"

#include <gtest/gtest.h>

namespace trnsim::isa {
namespace {

Instruction operand(Opcode opcode, Dtype dtype, bool onezero = false) {
    return Instruction(opcode).set(field::ADtype, dtype).set(field::Onezero, onezero ? 1u : 0u);
}

TEST(MatmulPasses, OneForEachPairOfParts) {
    MatmulPasses passes;
    EXPECT_EQ(passes.next(operand(Opcode::LoadStationary, Dtype::Fp32)), 1u);
    EXPECT_EQ(passes.next(operand(Opcode::MultiplyMoving, Dtype::Fp32)), 4u);
    EXPECT_EQ(passes.next(operand(Opcode::MultiplyMoving, Dtype::Fp32, true)), 2u);
    EXPECT_EQ(passes.next(operand(Opcode::MultiplyMoving, Dtype::Tf32)), 2u);
    EXPECT_EQ(passes.next(operand(Opcode::TensorCopy, Dtype::Fp32)), 1u);
    passes.next(operand(Opcode::LoadStationary, Dtype::Fp32, true));
    EXPECT_EQ(passes.next(operand(Opcode::MultiplyMoving, Dtype::Fp32)), 2u);
    EXPECT_EQ(passes.next(operand(Opcode::MultiplyMoving, Dtype::Fp32, true)), 1u);
    passes.next(operand(Opcode::LoadStationary, Dtype::Bf16));
    EXPECT_EQ(passes.next(operand(Opcode::MultiplyMoving, Dtype::Fp16)), 1u);
}

}  // namespace
}  // namespace trnsim::isa
