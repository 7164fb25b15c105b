#include "tests/rtl/vector/vector_instructions.hpp"

namespace trnsim::test {
namespace {

namespace field = isa::field;

isa::Instruction unary(isa::Opcode opcode, const Tensors& t) {
    isa::Instruction i(opcode);
    i.set(field::Partitions, t.partitions);
    i.set(field::Count0, t.count[0])
        .set(field::Count1, t.count[1])
        .set(field::Count2, t.count[2])
        .set(field::Count3, t.count[3]);
    i.set(field::DstAddr, t.dst.address()).set(field::DstDtype, t.dst.dtype);
    i.set_signed(field::DstStep0, t.dst.step[0]).set_signed(field::DstStep1, t.dst.step[1]);
    i.set_signed(field::DstStep2, t.dst.step[2]).set_signed(field::DstStep3, t.dst.step[3]);
    i.set(field::AAddr, t.a.address()).set(field::ADtype, t.a.dtype);
    i.set_signed(field::AStep0, t.a.step[0]).set_signed(field::AStep1, t.a.step[1]);
    i.set_signed(field::AStep2, t.a.step[2]).set_signed(field::AStep3, t.a.step[3]);
    return i;
}

isa::Instruction binary(isa::Opcode opcode, const Tensors& t) {
    isa::Instruction i = unary(opcode, t);
    i.set(field::BAddr, t.b.address()).set(field::BDtype, t.b.dtype);
    i.set_signed(field::BStep0, t.b.step[0]).set_signed(field::BStep1, t.b.step[1]);
    i.set_signed(field::BStep2, t.b.step[2]).set_signed(field::BStep3, t.b.step[3]);
    return i;
}

void set_first(isa::Instruction& i, Operation op, Immediate imm) {
    i.set(field::Op0, op.op)
        .set(field::Reverse0, op.reverse)
        .set(field::Imm0, imm.value)
        .set(field::Imm0Vector, imm.vector);
}

}  // namespace

isa::Instruction tensor_copy(const Tensors& t) {
    return unary(isa::Opcode::TensorCopy, t);
}

isa::Instruction memset(const Tensors& t, Immediate value) {
    isa::Instruction i = unary(isa::Opcode::Memset, t);
    set_first(i, {}, value);
    return i;
}

isa::Instruction tensor_tensor(const Tensors& t, Operation op) {
    isa::Instruction i = binary(isa::Opcode::TensorTensor, t);
    i.set(field::Op0, op.op).set(field::Reverse0, op.reverse);
    return i;
}

isa::Instruction tensor_scalar(const Tensors& t, Operation op0, Immediate imm0, Operation op1,
                               Immediate imm1) {
    isa::Instruction i = unary(isa::Opcode::TensorScalar, t);
    set_first(i, op0, imm0);
    i.set(field::Op1, op1.op)
        .set(field::Reverse1, op1.reverse)
        .set(field::Imm1, imm1.value)
        .set(field::Imm1Vector, imm1.vector);
    return i;
}

isa::Instruction scalar_tensor_tensor(const Tensors& t, Operation op0, Immediate imm0, Operation op1) {
    isa::Instruction i = binary(isa::Opcode::ScalarTensorTensor, t);
    set_first(i, op0, imm0);
    i.set(field::Op1, op1.op).set(field::Reverse1, op1.reverse);
    return i;
}

}  // namespace trnsim::test
