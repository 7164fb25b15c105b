#include "model/values/operation.hpp"

#include <algorithm>
#include <string_view>

namespace trnsim::fast {

namespace field = isa::field;
using isa::Instruction;
using isa::Opcode;

namespace {

struct FormatImmediates {
    std::string_view format;
    std::array<ImmediateFields, 2> immediates;
};

constexpr std::array Formats{
    FormatImmediates{"unary",
                     {{{&field::Imm0, &field::Imm0Vector, &field::Imm0Dtype},
                       {&field::Imm1, &field::Imm1Vector, nullptr}}}},
    FormatImmediates{"binary", {{{&field::Imm0, &field::Imm0Vector, nullptr}, {}}}},
    FormatImmediates{"generate", {{{&field::Imm0, &field::Imm0Vector, nullptr}, {}}}},
    FormatImmediates{"activation",
                     {{{&field::Scale, &field::ScaleVector, nullptr},
                       {&field::Bias, &field::BiasVector, &field::BiasDtype}}}},
};

std::uint32_t word_of(const Instruction& instruction, const isa::Field& which) {
    return static_cast<std::uint32_t>(instruction.get(which));
}

Operand operand_of(const Instruction& instruction, const Memories& memories, Role role,
                   std::uint32_t partitions, const Counts& counts) {
    const OperandFields& fields = fields_of(role);
    std::array<std::int32_t, 4> steps{};
    for (std::size_t d = 0; d < steps.size(); ++d)
        steps[d] = static_cast<std::int32_t>(instruction.get_signed(*fields.step[d]));
    return make_operand(*memories.locate(word_of(instruction, *fields.address)),
                        static_cast<isa::Dtype>(instruction.get(*fields.dtype)), partitions, counts, steps);
}

Immediate immediate_of(const Instruction& instruction, const Memories& memories, unsigned index) {
    const ImmediateFields* fields = immediate_fields(instruction, index);
    if (fields == nullptr) return {};
    Immediate immediate{word_of(instruction, *fields->value), instruction.get(*fields->flag) != 0, {}};
    if (!immediate.vector) return immediate;
    const std::uint64_t code = fields->dtype == nullptr ? 0 : instruction.get(*fields->dtype);
    immediate.column =
        make_operand(*memories.locate(immediate.word), isa::type_of(static_cast<isa::ImmediateDtype>(code)),
                     word_of(instruction, field::Partitions), {1, 1, 1, 1}, {});
    return immediate;
}

}  // namespace

const ImmediateFields* immediate_fields(const Instruction& instruction, unsigned index) {
    const auto* row = std::ranges::find(Formats, instruction.info()->format, &FormatImmediates::format);
    if (row == Formats.end() || row->immediates[index].value == nullptr) return nullptr;
    return &row->immediates[index];
}

const OperandFields& fields_of(Role role) {
    using namespace field;
    static constexpr std::array<OperandFields, 3> Table{{
        {&DstAddr, &DstDtype, {&DstStep0, &DstStep1, &DstStep2, &DstStep3}},
        {&AAddr, &ADtype, {&AStep0, &AStep1, &AStep2, &AStep3}},
        {&BAddr, &BDtype, {&BStep0, &BStep1, &BStep2, &BStep3}},
    }};
    return Table[static_cast<std::size_t>(role)];
}

Counts shape_of(const Instruction& instruction) {
    return {word_of(instruction, field::Count0), word_of(instruction, field::Count1),
            word_of(instruction, field::Count2), word_of(instruction, field::Count3)};
}

std::uint64_t elements_up_to(const Counts& counts, std::uint64_t limit) {
    std::uint64_t product = 1;
    for (const std::uint32_t count : counts) product = std::min(product * count, limit);
    return product;
}

bool takes_b(const Instruction& instruction) {
    const bool constant =
        instruction.opcode() == Opcode::TensorCopyPredicated && instruction.get(field::BImmediate) != 0;
    return instruction.info()->uses_b && !constant;
}

bool is_one_block(const Instruction& instruction, std::uint32_t quadrant) {
    if (instruction.opcode() != Opcode::TransposeBlock) return false;
    const std::uint64_t elements = elements_up_to(shape_of(instruction), quadrant + 1);
    const std::uint32_t partitions = word_of(instruction, field::Partitions);
    return partitions <= quadrant && elements <= quadrant && elements != 0 &&
           !(partitions == quadrant && elements == quadrant);
}

Counts dst_counts(const Instruction& instruction, std::uint32_t quadrant) {
    Counts counts = shape_of(instruction);
    if (const std::uint32_t fixed = instruction.info()->dst_elements; fixed != 0) counts = {fixed, 1, 1, 1};
    if (is_one_block(instruction, quadrant)) counts = {word_of(instruction, field::Partitions), 1, 1, 1};
    if (instruction.opcode() == Opcode::TensorReduce) {
        const std::uint64_t axes = instruction.get(field::ReduceAxes);
        std::fill_n(counts.begin(), std::min<std::uint64_t>(axes, counts.size()), 1);
    }
    return counts;
}

Counts b_counts(const Instruction& instruction) {
    const std::uint32_t fixed = instruction.info()->b_elements;
    return fixed != 0 ? Counts{fixed, 1, 1, 1} : shape_of(instruction);
}

std::uint32_t dst_partitions(const Instruction& instruction, std::uint32_t quadrant) {
    if (instruction.opcode() == Opcode::MultiplyMoving) return word_of(instruction, field::Columns);
    if (is_one_block(instruction, quadrant))
        return static_cast<std::uint32_t>(elements_up_to(shape_of(instruction), quadrant));
    return word_of(instruction, field::Partitions);
}

Operation decode(isa::Engine engine, const Instruction& instruction, const Memories& memories) {
    const isa::InstructionInfo& info = *instruction.info();
    const std::uint32_t quadrant = memories.partitions() / 4;
    Operation operation;
    operation.engine = engine;
    operation.instruction = instruction;
    operation.opcode = info.opcode;
    operation.has_dst = info.uses_dst;
    operation.has_a = info.uses_a;
    operation.has_b = takes_b(instruction);
    if (!info.uses_dst && !info.uses_a) return operation;

    const Counts shape = shape_of(instruction);
    operation.partitions = word_of(instruction, field::Partitions);
    operation.elements = elements_up_to(shape, UINT64_MAX);
    if (operation.has_dst) {
        operation.dst = operand_of(instruction, memories, Role::Dst, dst_partitions(instruction, quadrant),
                                   dst_counts(instruction, quadrant));
    }
    if (operation.has_a)
        operation.a = operand_of(instruction, memories, Role::A, operation.partitions, shape);
    if (operation.has_b)
        operation.b = operand_of(instruction, memories, Role::B, operation.partitions, b_counts(instruction));
    operation.imm0 = immediate_of(instruction, memories, 0);
    operation.imm1 = immediate_of(instruction, memories, 1);
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
