#include "testbench/functional/operand.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string_view>

#include "arch/target/dtype.hpp"
#include "arch/target/memory.hpp"
#include "testbench/functional/error.hpp"

namespace trnsim::functional {
namespace {

namespace field = isa::field;

struct Fields {
    const isa::Field *address, *dtype;
    std::array<const isa::Field*, 4> step;
};

const Fields& fields_of(Role role) {
    using namespace field;
    static const std::array<Fields, 3> table{{
        {&DstAddr, &DstDtype, {&DstStep0, &DstStep1, &DstStep2, &DstStep3}},
        {&AAddr, &ADtype, {&AStep0, &AStep1, &AStep2, &AStep3}},
        {&BAddr, &BDtype, {&BStep0, &BStep1, &BStep2, &BStep3}},
    }};
    return table[static_cast<std::size_t>(role)];
}

// An immediate that may be the address of a [partitions,1] operand.
struct VectorField {
    std::string_view format;
    const isa::Field *flag, *value;
    const isa::Field* dtype = nullptr;  // none: fp32
};

constexpr std::array VectorFields{
    VectorField{"unary", &field::Imm0Vector, &field::Imm0, &field::Imm0Dtype},
    VectorField{"unary", &field::Imm1Vector, &field::Imm1},
    VectorField{"binary", &field::Imm0Vector, &field::Imm0},
    VectorField{"generate", &field::Imm0Vector, &field::Imm0},
    VectorField{"activation", &field::ScaleVector, &field::Scale},
    VectorField{"activation", &field::BiasVector, &field::Bias, &field::BiasDtype},
};

using Counts = std::array<std::uint64_t, 4>;

Counts shape_of(const isa::Instruction& instruction) {
    return {instruction.get(field::Count0), instruction.get(field::Count1), instruction.get(field::Count2),
            instruction.get(field::Count3)};
}

// Elements of an operand along each dimension.
Counts counts_of(const isa::Instruction& instruction, const target::Core& target, Role role) {
    Counts counts = shape_of(instruction);
    if (std::ranges::find(counts, 0u) != counts.end()) throw Error("a count is 0");
    const isa::InstructionInfo& info = *instruction.info();
    const std::uint64_t fixed = role == Role::Dst ? info.dst_elements : role == Role::B ? info.b_elements : 0;
    if (fixed != 0) return {fixed, 1, 1, 1};
    if (role != Role::Dst) return counts;
    if (info.opcode == isa::Opcode::TensorReduce) {
        const std::uint64_t axes = instruction.get(field::ReduceAxes);
        if (axes < 1 || axes > counts.size()) throw Error("1 to 4 axes are reduced");
        std::fill_n(counts.begin(), axes, 1);
    }
    if (info.opcode == isa::Opcode::TransposeBlock && is_single_block(instruction, target)) {
        return {instruction.get(field::Partitions), 1, 1, 1};
    }
    return counts;
}

}  // namespace

bool is_single_block(const isa::Instruction& instruction, const target::Core& target) {
    const Counts counts = shape_of(instruction);
    const auto elements = std::accumulate(counts.begin(), counts.end(), std::uint64_t{1}, std::multiplies{});
    const auto quadrant = static_cast<std::uint64_t>(target.partitions) / 4;
    return instruction.get(field::Partitions) % quadrant != 0 || elements % quadrant != 0;
}

Operand operand_of(const isa::Instruction& instruction, const target::Core& target, Role role,
                   std::uint32_t partitions) {
    const Fields& fields = fields_of(role);
    const Counts counts = counts_of(instruction, target, role);
    Operand operand;
    operand.address = static_cast<std::uint32_t>(instruction.get(*fields.address));
    operand.dtype = static_cast<isa::Dtype>(instruction.get(*fields.dtype));
    operand.partitions = partitions;
    operand.offsets = {0};
    const std::int64_t bytes = target::bytes_of(operand.dtype);
    for (std::size_t dim = counts.size(); dim-- > 0;) {  // outermost first: each pass repeats what is there
        const auto count = static_cast<std::int64_t>(counts[dim]);
        const std::int64_t step = instruction.get_signed(*fields.step[dim]) * bytes;
        std::vector<std::int64_t> finer;
        finer.reserve(operand.offsets.size() * static_cast<std::size_t>(count));
        for (const std::int64_t offset : operand.offsets) {
            for (std::int64_t i = 0; i < count; ++i) finer.push_back(offset + i * step);
        }
        operand.offsets = std::move(finer);
    }
    return operand;
}

std::uint32_t operand_partitions(const isa::Instruction& instruction, const target::Core& target, Role role) {
    const isa::Opcode opcode = instruction.opcode();
    if (role == Role::Dst && opcode == isa::Opcode::MultiplyMoving)
        return static_cast<std::uint32_t>(instruction.get(field::Columns));
    if (role == Role::Dst && opcode == isa::Opcode::TransposeBlock && is_single_block(instruction, target)) {
        const Counts counts = shape_of(instruction);
        return static_cast<std::uint32_t>(
            std::accumulate(counts.begin(), counts.end(), std::uint64_t{1}, std::multiplies{}));
    }
    return static_cast<std::uint32_t>(instruction.get(field::Partitions));
}

std::vector<Run> runs_of(const Operand& operand) {
    std::vector<std::int64_t> offsets = operand.offsets;
    if (!std::ranges::is_sorted(offsets)) std::ranges::sort(offsets);
    const auto bytes = static_cast<std::int64_t>(target::bytes_of(operand.dtype));
    std::vector<Run> runs;
    for (const std::int64_t offset : offsets) {
        const std::int64_t end = offset + bytes;
        if (!runs.empty() && offset <= runs.back().offset + runs.back().bytes) {
            runs.back().bytes = static_cast<std::uint32_t>(end - runs.back().offset);
        } else {
            runs.push_back({offset, static_cast<std::uint32_t>(bytes)});
        }
    }
    return runs;
}

builder::ElementPattern pattern_of(const isa::Instruction& instruction, const target::Core& target,
                                   Role role) {
    const Fields& fields = fields_of(role);
    const Counts counts = counts_of(instruction, target, role);
    const auto address = static_cast<std::uint32_t>(instruction.get(*fields.address));
    const auto [memory, partition, offset] = functional::locate(target, address);
    const auto dtype = static_cast<isa::Dtype>(instruction.get(*fields.dtype));
    builder::ElementPattern pattern{memory, partition, offset, target::bytes_of(dtype), {}};
    for (std::size_t d = 0; d < counts.size(); ++d) {
        pattern.axes[d] = {static_cast<std::uint32_t>(counts[d]), instruction.get_signed(*fields.step[d])};
    }
    return pattern;
}

std::vector<Operand> vector_operands(const isa::Instruction& instruction) {
    std::vector<Operand> operands;
    for (const VectorField& row : VectorFields) {
        if (row.format != instruction.info()->format || instruction.get(*row.flag) == 0) continue;
        const std::uint64_t code = row.dtype == nullptr ? 0 : instruction.get(*row.dtype);
        operands.push_back({static_cast<std::uint32_t>(instruction.get(*row.value)),
                            isa::type_of(static_cast<isa::ImmediateDtype>(code)),
                            static_cast<std::uint32_t>(instruction.get(field::Partitions)),
                            {0}});
    }
    return operands;
}

std::uint32_t address_at(const target::Core& target, const Operand& operand, std::uint32_t partition,
                         std::int64_t offset) {
    const auto memory = operand.address < isa::window::PsumBase ? target::Memory::Sbuf : target::Memory::Psum;
    const std::uint32_t base = operand.address + partition * target::partition_stride(target, memory);
    return static_cast<std::uint32_t>(base + offset);
}

std::uint32_t element_address(const target::Core& target, const Operand& operand, std::uint32_t partition,
                              std::size_t index) {
    return address_at(target, operand, partition, operand.offsets[index]);
}

std::vector<std::uint32_t> read_partition(const CoreMemory& memory, const target::Core& target,
                                          const Operand& operand, std::uint32_t partition) {
    const std::uint32_t bytes = target::bytes_of(operand.dtype);
    std::vector<std::uint32_t> bits(operand.offsets.size());
    for (std::size_t i = 0; i < bits.size(); ++i) {
        bits[i] = memory.read(element_address(target, operand, partition, i), bytes);
    }
    return bits;
}

void write_partition(CoreMemory& memory, const target::Core& target, const Operand& operand,
                     std::uint32_t partition, const std::vector<std::uint32_t>& bits) {
    const std::uint32_t bytes = target::bytes_of(operand.dtype);
    for (std::size_t i = 0; i < bits.size(); ++i) {
        memory.write(element_address(target, operand, partition, i), bytes, bits[i]);
    }
}

}  // namespace trnsim::functional
