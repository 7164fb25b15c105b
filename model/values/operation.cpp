#include "model/values/operation.hpp"

#include "arch/operands/operands.hpp"

namespace trnsim::fast {

namespace field = isa::field;
using isa::Instruction;
using isa::Opcode;

namespace {

Operand operand_of(isa::InstructionView bytes, const Memories& memories, const isa::OperandInfo& info) {
    const isa::OperandFields& fields = isa::fields_of(info.role);
    const operands::Extent extent = operands::extent_of(bytes, info, memories.partitions() / 4);
    return make_operand(*memories.locate(get32(bytes, *fields.address)),
                        get_as<isa::Dtype>(bytes, *fields.dtype), extent.partitions, extent.counts,
                        isa::steps_of(bytes, info.role));
}

Immediate immediate_of(isa::InstructionView bytes, const Memories& memories, const isa::ImmediateInfo& info) {
    Immediate immediate{get32(bytes, *info.value), get(bytes, *info.flag) != 0, {}};
    if (!immediate.vector) return immediate;
    immediate.column =
        make_operand(*memories.locate(immediate.word), isa::type_of(isa::vector_type(bytes, info)),
                     get32(bytes, field::Partitions), {1, 1, 1, 1}, {});
    return immediate;
}

}  // namespace

Operation decode(isa::Engine engine, const Instruction& instruction, const Memories& memories) {
    const isa::InstructionInfo& info = *instruction.info();
    const isa::InstructionView bytes = instruction.bytes();
    Operation operation;
    operation.engine = engine;
    operation.instruction = instruction;
    operation.opcode = info.opcode;
    if (!info.uses_dst && !info.uses_a) return operation;

    operation.partitions = get32(bytes, field::Partitions);
    operation.elements = isa::elements_up_to(isa::shape_of(bytes), UINT64_MAX);
    for (const isa::OperandInfo& row : isa::operands_of(info)) {
        if (!isa::is_there(bytes, row)) continue;
        switch (row.role) {
            case isa::Role::Dst:
                operation.has_dst = true;
                operation.dst = operand_of(bytes, memories, row);
                break;
            case isa::Role::A:
                operation.has_a = true;
                operation.a = operand_of(bytes, memories, row);
                break;
            case isa::Role::B:
                operation.has_b = true;
                operation.b = operand_of(bytes, memories, row);
                break;
        }
    }
    const std::array<Immediate*, 2> places{&operation.imm0, &operation.imm1};
    std::size_t immediates = 0;
    for (const isa::ImmediateInfo& row : isa::immediates_of(info))
        *places.at(immediates++) = immediate_of(bytes, memories, row);
    if (info.format == "unary" || info.format == "binary") {
        operation.op0 = static_cast<isa::AluOp>(instruction.get(field::Op0));
        operation.op1 = static_cast<isa::AluOp>(instruction.get(field::Op1));
        operation.reverse0 = instruction.get(field::Reverse0) != 0;
        operation.reverse1 = instruction.get(field::Reverse1) != 0;
    }
    if (info.format == "unary" || info.format == "binary" || info.format == "activation")
        operation.reduce_cmd = static_cast<isa::ReduceCmd>(instruction.get(field::ReduceCmd));
    if (info.uses_dst && info.opcode != Opcode::MultiplyMoving)
        operation.rounding = static_cast<isa::Rounding>(instruction.get(field::Rounding));
    return operation;
}

}  // namespace trnsim::fast
