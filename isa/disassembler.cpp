#include "isa/disassembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isa/operands.hpp"

namespace trnsim::isa {
namespace {

unsigned used_dimensions(const Counts& counts) {
    unsigned used = 1;
    for (unsigned dim = 1; dim < Dimensions; ++dim) {
        if (counts[dim] > 1) used = dim + 1;
    }
    return used;
}

// Returns name=memory[partition+offset]{dtype count:step ...}, the innermost dimension first.
std::string format_operand(const Instruction& instruction, const OperandInfo& operand) {
    const OperandFields& fields = fields_of(operand.role);
    std::string text =
        fmt::format(" {}={}", fields.name, format_address(get32(instruction.bytes(), *fields.address)));
    if (const auto reg = instruction.get(*fields.reg)) text += fmt::format("+r{}", reg);
    text +=
        fmt::format("{{{}", name_of(dtype_values(), static_cast<unsigned>(instruction.get(*fields.dtype))));
    const Counts counts = counts_of(instruction.bytes(), operand);
    const Steps steps = steps_of(instruction.bytes(), operand.role);
    for (unsigned dim = 0; dim < used_dimensions(counts); ++dim)
        text += fmt::format(" {}:{}", counts[dim], steps[dim]);
    return text + "}";
}

bool is_vector(const Instruction& instruction, const ImmediateInfo& immediate) {
    return instruction.get(*immediate.flag) != 0;
}

// Returns the immediate whose address is in this field; nullptr: the field is no address.
const ImmediateInfo* vector_at(const Instruction& instruction, const Field& value) {
    const auto immediates = immediates_of(*instruction.info());
    const auto found = std::ranges::find(immediates, &value, &ImmediateInfo::value);
    return found != immediates.end() && is_vector(instruction, *found) ? &*found : nullptr;
}

// True for fields that are shown with the address of a [partitions,1] operand.
bool belongs_to_vector(const Instruction& instruction, const Field& f) {
    return std::ranges::any_of(immediates_of(*instruction.info()), [&](const ImmediateInfo& immediate) {
        return immediate.flag == &f || (immediate.dtype == &f && is_vector(instruction, immediate));
    });
}

// Returns memory[partition+offset], followed by {dtype} if it is not fp32.
std::string format_vector(const Instruction& instruction, const ImmediateInfo& immediate) {
    std::string text = format_address(get32(instruction.bytes(), *immediate.value));
    if (immediate.dtype == nullptr || instruction.get(*immediate.dtype) == 0) return text;
    const auto type = static_cast<unsigned>(instruction.get(*immediate.dtype));
    return text + fmt::format("{{{}}}", name_of(immediate.dtype->values, type));
}

std::string format_sync(const Instruction& instruction) {
    static constexpr std::array<std::string_view, 4> Waits{"", ">=", "==", "<="};
    static constexpr std::array<std::string_view, 4> Updates{"", "=", "+=", "-="};
    std::string text;
    if (const auto mode = instruction.get(field::WaitMode)) {
        text += fmt::format(" wait S[{}]{}{}", instruction.get(field::WaitSem), Waits[mode],
                            instruction.get(field::WaitValue));
    }
    if (const auto mode = instruction.get(field::UpdateMode)) {
        text += fmt::format(" S[{}]{}{}", instruction.get(field::UpdateSem), Updates[mode],
                            instruction.get(field::UpdateValue));
    }
    return text;
}

bool belongs_to_operand_or_sync(const Field& f) {
    for (const Field* header : {&field::Opcode, &field::WaitSem, &field::UpdateSem, &field::WaitMode,
                                &field::UpdateMode, &field::WaitValue, &field::UpdateValue}) {
        if (&f == header) return true;
    }
    if (std::ranges::find(count_fields(), &f) != count_fields().end()) return true;
    return std::ranges::any_of(std::array{Role::Dst, Role::A, Role::B}, [&](Role role) {
        const OperandFields& fields = fields_of(role);
        return &f == fields.address || &f == fields.dtype || &f == fields.reg ||
               std::ranges::find(fields.steps, &f) != fields.steps.end();
    });
}

// Fields for which 0 has a meaning as well: they are always shown, as a decimal.
struct Number {
    Opcode opcode;
    const Field* field;
    std::string_view name;
};

const std::array<Number, 3>& numbers() {
    static const std::array<Number, 3> table{{
        {Opcode::Branch, &field::Target, "target"},
        {Opcode::DmaTrigger, &field::Address, "transfer"},  // in a package: its number, docs/neff.md
        {Opcode::GpsimdCommand, &field::Operation, "operation"},
    }};
    return table;
}

std::string format_field(const Instruction& instruction, const Field& f) {
    const std::uint64_t value = instruction.get(f);
    switch (f.kind) {
        case FieldKind::Fp32:
            if (const ImmediateInfo* vector = vector_at(instruction, f))
                return fmt::format(" {}={}", f.name, format_vector(instruction, *vector));
            return fmt::format(" {}={}", f.name, instruction.get_float(f));
        case FieldKind::Signed:
            return fmt::format(" {}={}", f.name, instruction.get_signed(f));
        case FieldKind::Enum:
            return fmt::format(" {}={}", f.name, name_of(f.values, static_cast<unsigned>(value)));
        case FieldKind::Unsigned:
            break;
    }
    if (f.width == 1) return fmt::format(" {}", f.name);
    return f.width > 16 ? fmt::format(" {}=0x{:x}", f.name, value) : fmt::format(" {}={}", f.name, value);
}

}  // namespace

std::string format_address(std::uint32_t address, std::uint32_t sbuf_stride) {
    if (address < window::PsumBase) {
        return fmt::format("sbuf[{}+0x{:x}]", address / sbuf_stride, address % sbuf_stride);
    }
    if (address < window::GpsimdTcmBase) {
        const std::uint32_t offset = address - window::PsumBase;
        return fmt::format("psum[{}+0x{:x}]", offset / window::PsumPartitionStride,
                           offset % window::PsumPartitionStride);
    }
    if (address < window::EventBase) {
        const std::uint32_t offset = address - window::GpsimdTcmBase;
        return fmt::format("tcm[{}+0x{:x}]", offset / window::GpsimdTcmStride,
                           offset % window::GpsimdTcmStride);
    }
    return fmt::format("0x{:07x}", address);
}

std::string disassemble(const Instruction& instruction) {
    const InstructionInfo* info = instruction.info();
    if (info == nullptr) return fmt::format("illegal 0x{:02x}", static_cast<unsigned>(instruction.opcode()));
    std::string text(info->name);
    bool constant_b = false;
    for (const OperandInfo& operand : operands_of(*info)) {
        if (is_there(instruction.bytes(), operand))
            text += format_operand(instruction, operand);
        else
            constant_b = true;
    }
    const auto number = std::ranges::find(numbers(), info->opcode, &Number::opcode);
    if (number != numbers().end())
        text += fmt::format(" {}={}", number->name, instruction.get(*number->field));
    for (const Field* f : info->fields) {
        if (number != numbers().end() && f == number->field) continue;
        if (belongs_to_operand_or_sync(*f) || belongs_to_vector(instruction, *f)) continue;
        const bool operand = vector_at(instruction, *f) != nullptr ||
                             (constant_b && f == &field::Imm0);  // imm0 may be address 0 or the value 0
        if (instruction.get(*f) != 0 || operand) text += format_field(instruction, *f);
    }
    return text + format_sync(instruction);
}

}  // namespace trnsim::isa
