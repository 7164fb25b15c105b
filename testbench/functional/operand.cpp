#include "testbench/functional/operand.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/operands/operands.hpp"
#include "arch/target/memory.hpp"
#include "isa/element_type.hpp"
#include "testbench/functional/error.hpp"

namespace trnsim::functional {
namespace {

namespace field = isa::field;

std::uint32_t quadrant_of(const target::Core& target) {
    return static_cast<std::uint32_t>(target.partitions) / 4;
}

operands::Extent extent_of(const isa::Instruction& instruction, const target::Core& target, Role role) {
    const auto infos = isa::operands_of(*instruction.info());
    const auto info = std::ranges::find(infos, role, &isa::OperandInfo::role);
    return operands::extent_of(instruction.bytes(), *info, quadrant_of(target));
}

}  // namespace

bool is_single_block(const isa::Instruction& instruction, const target::Core& target) {
    return operands::turns_one_block(instruction.bytes(), quadrant_of(target));
}

Operand operand_of(const isa::Instruction& instruction, const target::Core& target, Role role,
                   std::uint32_t partitions) {
    const isa::OperandFields& fields = isa::fields_of(role);
    const isa::Steps steps = isa::steps_of(instruction.bytes(), role);
    Operand operand;
    operand.address = get32(instruction.bytes(), *fields.address);
    operand.dtype = get_as<isa::Dtype>(instruction.bytes(), *fields.dtype);
    operand.partitions = partitions;
    operand.offsets = {0};
    operand.counts = extent_of(instruction, target, role).counts;
    if (const auto elements = isa::elements_up_to(operand.counts, UINT64_MAX); elements > MostElements)
        throw Error(fmt::format("{} elements in a partition: the interpreter takes at most {}", elements,
                                MostElements));
    const std::int64_t bytes = isa::element_size(operand.dtype);
    if (bytes == 0)
        throw Error(fmt::format("undefined element type {}", static_cast<unsigned>(operand.dtype)));
    for (std::size_t dim = steps.size(); dim-- > 0;) {  // outermost first: each pass repeats the offsets
        const auto count = std::int64_t{operand.counts[dim]};
        const std::int64_t step = steps[dim] * bytes;
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
    return extent_of(instruction, target, role).partitions;
}

std::vector<Run> runs_of(const Operand& operand) {
    std::vector<std::int64_t> offsets = operand.offsets;
    if (!std::ranges::is_sorted(offsets)) std::ranges::sort(offsets);
    const auto bytes = static_cast<std::int64_t>(isa::element_size(operand.dtype));
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

Places places_of(const target::Core& target, const Operand& operand) {
    const target::Location first = functional::locate(target, operand.address);
    Places places{first.memory, first.partition, isa::element_size(operand.dtype), operand.counts,
                  operand.offsets};
    for (std::int64_t& offset : places.offsets) offset += first.offset;
    return places;
}

std::vector<Operand> vector_operands(isa::Engine engine, const isa::Instruction& instruction) {
    const isa::InstructionView bytes = instruction.bytes();
    const auto reads = operands::reads_immediates(engine, bytes);
    std::vector<Operand> operands;
    std::size_t next = 0;
    for (const isa::ImmediateInfo& immediate : isa::immediates_of(*instruction.info())) {
        if (!reads.at(next++) || get(bytes, *immediate.flag) == 0) continue;
        operands.push_back({get32(bytes, *immediate.value),
                            isa::type_of(isa::vector_type(bytes, immediate)),
                            get32(bytes, field::Partitions),
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
    const std::uint32_t bytes = isa::element_size(operand.dtype);
    std::vector<std::uint32_t> bits(operand.offsets.size());
    for (std::size_t i = 0; i < bits.size(); ++i) {
        bits[i] = memory.read(element_address(target, operand, partition, i), bytes);
    }
    return bits;
}

}  // namespace trnsim::functional
