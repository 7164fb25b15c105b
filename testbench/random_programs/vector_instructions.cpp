#include "testbench/random_programs/vector_instructions.hpp"

#include "isa/operands.hpp"

namespace trnsim::random_programs {
namespace {

namespace field = isa::field;

void set_operand(isa::Instruction& i, isa::Role role, const RandomOperand& operand) {
    const isa::OperandFields& fields = isa::fields_of(role);
    i.set(*fields.address, operand.address()).set(*fields.dtype, operand.dtype);
    for (std::size_t d = 0; d < fields.steps.size(); ++d) i.set_signed(*fields.steps[d], operand.step[d]);
}

isa::Instruction generate(isa::Opcode opcode, const Tensors& t) {
    isa::Instruction i(opcode);
    set_shape(i, t);
    set_dst(i, t.dst);
    return i;
}

isa::Instruction unary(isa::Opcode opcode, const Tensors& t) {
    isa::Instruction i = generate(opcode, t);
    set_a(i, t.a);
    return i;
}

isa::Instruction binary(isa::Opcode opcode, const Tensors& t) {
    isa::Instruction i = unary(opcode, t);
    set_operand(i, isa::Role::B, t.b);
    return i;
}

void set_imm0(isa::Instruction& i, Immediate imm) {
    i.set(field::Imm0, imm.value).set(field::Imm0Vector, imm.vector);
}

void set_first(isa::Instruction& i, Operation op, Immediate imm) {
    i.set(field::Op0, op.op).set(field::Reverse0, op.reverse);
    set_imm0(i, imm);
}

void set_second(isa::Instruction& i, Operation op) {
    i.set(field::Op1, op.op).set(field::Reverse1, op.reverse);
}

}  // namespace

void set_shape(isa::Instruction& i, const Tensors& t) {
    i.set(field::Partitions, t.partitions);
    for (std::size_t d = 0; d < t.count.size(); ++d) i.set(*isa::count_fields()[d], t.count[d]);
}

void set_dst(isa::Instruction& i, const RandomOperand& dst) {
    set_operand(i, isa::Role::Dst, dst);
}

void set_a(isa::Instruction& i, const RandomOperand& a) {
    set_operand(i, isa::Role::A, a);
}

isa::Instruction tensor_copy(const Tensors& t) {
    return unary(isa::Opcode::TensorCopy, t);
}

isa::Instruction memset(const Tensors& t, Immediate value) {
    isa::Instruction i = generate(isa::Opcode::Memset, t);
    set_imm0(i, value);
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

isa::Instruction tensor_scalar_reduce(const Tensors& t, Operation op0, Immediate imm0, isa::AluOp op1,
                                      isa::ReduceCmd cmd, Immediate imm1) {
    isa::Instruction i = tensor_scalar(t, op0, imm0, {op1}, imm1);
    i.set(field::Opcode, isa::Opcode::TensorScalarReduce).set(field::ReduceCmd, cmd);
    return i;
}

isa::Instruction read_accumulator(const Tensors& t) {
    return generate(isa::Opcode::ReadAccumulator, t);
}

isa::Instruction tensor_tensor_scan(const Tensors& t, Operation op0, Operation op1, Immediate first) {
    isa::Instruction i = binary(isa::Opcode::TensorTensorScan, t);
    set_first(i, op0, first);
    set_second(i, op1);
    return i;
}

isa::Instruction tensor_scalar_cumulative(const Tensors& t, Operation op0, Immediate imm0, Operation op1) {
    isa::Instruction i = unary(isa::Opcode::TensorScalarCumulative, t);
    set_first(i, op0, imm0);
    set_second(i, op1);
    return i;
}

isa::Instruction tensor_reduce(const Tensors& t, isa::AluOp op, unsigned axes, bool negate) {
    isa::Instruction i = unary(isa::Opcode::TensorReduce, t);
    i.set(field::Op0, op).set(field::ReduceAxes, axes).set(field::Negate, negate);
    return i;
}

isa::Instruction tensor_copy_predicated(const Tensors& t, bool invert) {
    isa::Instruction i = binary(isa::Opcode::TensorCopyPredicated, t);
    i.set(field::Reverse0, invert);
    return i;
}

isa::Instruction predicated_immediate(const Tensors& t, Immediate value, bool invert) {
    isa::Instruction i = tensor_copy_predicated(t, invert);
    i.set(field::BImmediate, 1);
    set_imm0(i, value);
    return i;
}

isa::Instruction select_reduce(const Tensors& t, Immediate other, isa::ReduceCmd cmd, bool invert) {
    isa::Instruction i = binary(isa::Opcode::SelectReduce, t);
    i.set(field::Reverse0, invert).set(field::ReduceCmd, cmd);
    set_imm0(i, other);
    return i;
}

isa::Instruction bn_stats(const Tensors& t) {
    return unary(isa::Opcode::BnStats, t);
}

isa::Instruction bn_aggr(const Tensors& t) {
    return unary(isa::Opcode::BnAggr, t);
}

isa::Instruction reciprocal(const Tensors& t) {
    return unary(isa::Opcode::Reciprocal, t);
}

isa::Instruction rng(const Tensors& t) {
    return generate(isa::Opcode::Rng, t);
}

isa::Instruction dropout(const Tensors& t, Immediate probability) {
    isa::Instruction i = unary(isa::Opcode::Dropout, t);
    set_imm0(i, probability);
    i.set(field::Imm0Dtype, isa::immediate_dtype(probability.dtype));
    return i;
}

isa::Instruction set_rng_seed(const RandomOperand& seed) {
    isa::Instruction i(isa::Opcode::SetRngSeed);
    i.set(field::Partitions, 1);
    i.set(field::Count0, 1).set(field::Count1, 1).set(field::Count2, 1).set(field::Count3, 1);
    i.set(field::AAddr, seed.address()).set(field::ADtype, seed.dtype);
    return i;
}

isa::Instruction max8(const Tensors& t) {
    return unary(isa::Opcode::Max8, t);
}

isa::Instruction find_index8(const Tensors& t) {
    return binary(isa::Opcode::FindIndex8, t);
}

isa::Instruction match_replace8(const Tensors& t, Immediate replacement) {
    isa::Instruction i = binary(isa::Opcode::MatchReplace8, t);
    set_imm0(i, replacement);
    return i;
}

isa::Instruction load_shuffle_mask(const ShuffleMask& mask) {
    constexpr std::array Words{&field::Mask0, &field::Mask1, &field::Mask2, &field::Mask3,
                               &field::Mask4, &field::Mask5, &field::Mask6, &field::Mask7};
    isa::Instruction i(isa::Opcode::LoadShuffleMask);
    for (std::size_t word = 0; word < mask.size() / 4; ++word) {
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 4; ++k) bits |= static_cast<std::uint32_t>(mask[4 * word + k]) << 8 * k;
        i.set(*Words[word], bits);
    }
    return i;
}

isa::Instruction stream_shuffle(const Tensors& t) {
    return unary(isa::Opcode::StreamShuffle, t);
}

isa::Instruction transpose_block(const Tensors& t) {
    return unary(isa::Opcode::TransposeBlock, t);
}

}  // namespace trnsim::random_programs
