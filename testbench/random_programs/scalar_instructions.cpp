#include "testbench/random_programs/scalar_instructions.hpp"

namespace trnsim::random_programs {

namespace field = isa::field;
using isa::Instruction;
using isa::Opcode;

Instruction activate(const Tensors& t, const Activate& how) {
    Instruction i(how.with_reduce ? Opcode::ActivationReduce : Opcode::Activation);
    set_shape(i, t);
    set_dst(i, t.dst);
    set_a(i, t.a);
    i.set(field::ActFunction, static_cast<std::uint64_t>(how.function));
    i.set(field::ReduceCmd, static_cast<std::uint64_t>(how.reduce));
    i.set(field::Scale, how.scale.value);
    i.set(field::ScaleVector, how.scale.vector);
    i.set(field::Bias, how.bias.value);
    i.set(field::BiasVector, how.bias.vector);
    i.set(field::BiasDtype, isa::immediate_dtype(how.bias.dtype));
    i.set_float(field::Alpha, how.alpha);
    return i;
}

Instruction act_read_accumulator(const Tensors& t) {
    Instruction i(Opcode::ActReadAccumulator);
    set_shape(i, t);
    set_dst(i, t.dst);
    return i;
}

Instruction scalar_copy(const Tensors& t) {
    return tensor_copy(t);
}

Instruction scalar_operations(const Tensors& t, Operation op0, Immediate imm0, Operation op1,
                              Immediate imm1) {
    return tensor_scalar(t, op0, imm0, op1, imm1);
}

Instruction act_table_load(isa::ActivationSet set) {
    Instruction i(Opcode::ActTableLoad);
    i.set(field::TableSet, static_cast<std::uint64_t>(set));
    return i;
}

}  // namespace trnsim::random_programs
