#include "isa/disassembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trnsim::isa {
namespace {

constexpr unsigned Dimensions = 4;

struct Operand {
    std::string_view name;
    const Field* address;
    const Field* dtype;
    const Field* reg;
    std::array<const Field*, Dimensions> steps;
};

const std::array<const Field*, Dimensions> CountFields{&field::Count0, &field::Count1, &field::Count2,
                                                       &field::Count3};
using Counts = std::array<std::uint64_t, Dimensions>;

const std::array<Operand, 3>& operands() {
    using namespace field;
    static const std::array<Operand, 3> table{{
        {"dst", &DstAddr, &DstDtype, &DstReg, {&DstStep0, &DstStep1, &DstStep2, &DstStep3}},
        {"a", &AAddr, &ADtype, &AReg, {&AStep0, &AStep1, &AStep2, &AStep3}},
        {"b", &BAddr, &BDtype, &BReg, {&BStep0, &BStep1, &BStep2, &BStep3}},
    }};
    return table;
}

// Elements of an operand along each dimension: those of the shape, but for operands with a number of their
// own and for what a reduction leaves.
Counts counts_of(const Instruction& instruction, const Operand& operand) {
    const InstructionInfo& info = *instruction.info();
    const bool is_dst = operand.address == &field::DstAddr, is_b = operand.address == &field::BAddr;
    const std::uint64_t fixed = is_dst ? info.dst_elements : is_b ? info.b_elements : 0;
    if (fixed != 0) return {fixed, 1, 1, 1};
    Counts counts{};
    std::ranges::transform(CountFields, counts.begin(), [&](const Field* f) { return instruction.get(*f); });
    if (is_dst && info.opcode == Opcode::TensorReduce) {
        const auto axes = std::min<std::uint64_t>(instruction.get(field::ReduceAxes), Dimensions);
        std::fill_n(counts.begin(), axes, 1);
    }
    return counts;
}

unsigned used_dimensions(const Counts& counts) {
    unsigned used = 1;
    for (unsigned dim = 1; dim < Dimensions; ++dim) {
        if (counts[dim] > 1) used = dim + 1;
    }
    return used;
}

// name=memory[partition+offset]{dtype count x step, ...}, the innermost dimension first.
std::string format_operand(const Instruction& instruction, const Operand& operand) {
    std::string text =
        fmt::format(" {}={}", operand.name,
                    format_address(static_cast<std::uint32_t>(instruction.get(*operand.address))));
    if (const auto reg = instruction.get(*operand.reg)) text += fmt::format("+r{}", reg);
    text +=
        fmt::format("{{{}", name_of(dtype_values(), static_cast<unsigned>(instruction.get(*operand.dtype))));
    const Counts counts = counts_of(instruction, operand);
    for (unsigned dim = 0; dim < used_dimensions(counts); ++dim) {
        text += fmt::format(" {}:{}", counts[dim], instruction.get_signed(*operand.steps[dim]));
    }
    return text + "}";
}

// The field whose name is that of an fp32 constant and `suffix`; nullptr where there is none.
const Field* companion(const InstructionInfo& info, const Field& constant, std::string_view suffix) {
    const std::string name = fmt::format("{}{}", constant.name, suffix);
    const auto found = std::ranges::find(info.fields, name, &Field::name);
    return constant.kind == FieldKind::Fp32 && found != info.fields.end() ? *found : nullptr;
}

// The flag that makes a constant the address of a [partitions,1] operand, and the type of that operand.
const Field* vector_flag(const InstructionInfo& info, const Field& constant) {
    return companion(info, constant, "_vector");
}

const Field* vector_type(const InstructionInfo& info, const Field& constant) {
    return companion(info, constant, "_dtype");
}

bool is_vector(const Instruction& instruction, const Field& constant) {
    const Field* flag = vector_flag(*instruction.info(), constant);
    return flag != nullptr && instruction.get(*flag) != 0;
}

// Fields that are shown with the address of a [partitions,1] operand.
bool belongs_to_vector(const Instruction& instruction, const Field& f) {
    const InstructionInfo& info = *instruction.info();
    return std::ranges::any_of(info.fields, [&](const Field* other) {
        return vector_flag(info, *other) == &f ||
               (vector_type(info, *other) == &f && is_vector(instruction, *other));
    });
}

// memory[partition+offset], {dtype} where it is not fp32.
std::string format_vector(const Instruction& instruction, const Field& f) {
    std::string text = format_address(static_cast<std::uint32_t>(instruction.get(f)));
    const Field* type = vector_type(*instruction.info(), f);
    if (type == nullptr || instruction.get(*type) == 0) return text;
    return text + fmt::format("{{{}}}", name_of(type->values, static_cast<unsigned>(instruction.get(*type))));
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
    for (const Operand& operand : operands()) {
        if (&f == operand.address || &f == operand.dtype || &f == operand.reg) return true;
        for (const Field* step : operand.steps) {
            if (&f == step) return true;
        }
    }
    for (const Field* count : CountFields) {
        if (&f == count) return true;
    }
    return false;
}

// Fields that count something, so that 0 means something too: they are always shown, as a decimal.
struct Number {
    Opcode opcode;
    const Field* field;
    std::string_view name;
};

const std::array<Number, 3>& numbers() {
    static const std::array<Number, 3> table{{
        {Opcode::Branch, &field::Target, "target"},
        {Opcode::DmaTrigger, &field::Address, "transfer"},  // in a package, see docs/neff.md
        {Opcode::GpsimdCommand, &field::Operation, "operation"},
    }};
    return table;
}

std::string format_field(const Instruction& instruction, const Field& f) {
    const std::uint64_t value = instruction.get(f);
    switch (f.kind) {
        case FieldKind::Fp32:
            if (is_vector(instruction, f))
                return fmt::format(" {}={}", f.name, format_vector(instruction, f));
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
    const std::array<bool, 3> used{info->uses_dst, info->uses_a, instruction.reads_b()};
    const bool constant_b = info->uses_b && !instruction.reads_b();
    for (unsigned i = 0; i < used.size(); ++i) {
        if (used[i]) text += format_operand(instruction, operands()[i]);
    }
    const auto number = std::ranges::find(numbers(), info->opcode, &Number::opcode);
    if (number != numbers().end())
        text += fmt::format(" {}={}", number->name, instruction.get(*number->field));
    for (const Field* f : info->fields) {
        if (number != numbers().end() && f == number->field) continue;
        if (belongs_to_operand_or_sync(*f) || belongs_to_vector(instruction, *f)) continue;
        const bool operand = is_vector(instruction, *f) ||
                             (constant_b && f == &field::Imm0);  // which may be at address 0, or be 0
        if (instruction.get(*f) != 0 || operand) text += format_field(instruction, *f);
    }
    return text + format_sync(instruction);
}

}  // namespace trnsim::isa
