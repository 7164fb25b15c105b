#include "tests/rtl/scalar/scalar_instructions.hpp"

namespace trnsim::test {

namespace field = isa::field;
using isa::Instruction;
using isa::Opcode;

Instruction activation(const Tensors& t, const Activate& how) {
    // The shape, dst and a fields are those of the Vector forms.
    Instruction from = tensor_copy(t);
    Instruction i(how.with_reduce ? Opcode::ActivationReduce : Opcode::Activation);
    for (const isa::Field* f :
         {&field::Partitions, &field::Count0, &field::Count1, &field::Count2, &field::Count3, &field::DstAddr,
          &field::DstStep0, &field::DstStep1, &field::DstStep2, &field::DstStep3, &field::DstDtype,
          &field::AAddr, &field::AStep0, &field::AStep1, &field::AStep2, &field::AStep3, &field::ADtype})
        i.set(*f, from.get(*f));
    i.set(field::ActFunction, static_cast<std::uint64_t>(how.function));
    i.set(field::ReduceCmd, static_cast<std::uint64_t>(how.reduce));
    i.set(field::Scale, how.scale.value);
    i.set(field::ScaleVector, how.scale.vector);
    i.set(field::Bias, how.bias.value);
    i.set(field::BiasVector, how.bias.vector);
    i.set_float(field::Alpha, how.alpha);
    return i;
}

Instruction act_read_accumulator(const Tensors& t) {
    Instruction from = tensor_copy(t);
    Instruction i(Opcode::ActReadAccumulator);
    for (const isa::Field* f : {&field::Partitions, &field::Count0, &field::Count1, &field::Count2,
                                &field::Count3, &field::DstAddr, &field::DstStep0, &field::DstDtype})
        i.set(*f, from.get(*f));
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

}  // namespace trnsim::test
