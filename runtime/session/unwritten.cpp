#include "runtime/session/unwritten.hpp"

#include <fmt/format.h>

#include "arch/operands/operands.hpp"
#include "arch/target/error.hpp"
#include "arch/target/memory.hpp"
#include "isa/disassembler.hpp"
#include "isa/element_type.hpp"
#include "runtime/session/observer.hpp"

namespace trnsim::runtime {
namespace {

constexpr std::int64_t WordBytes = 4;

// Elements of a partition: the first at `address`, which is in the first of the partitions.
struct Elements {
    std::uint32_t address, partitions, bytes;
    isa::Counts counts{1, 1, 1, 1};
    isa::Steps steps{};
};

// Returns whether an element has a byte of the word at `wanted` bytes from the first one, with `dims` dimensions
// left to choose.
bool has_word(const Elements& elements, std::int64_t wanted, std::size_t dims) {
    std::int64_t low = 0, end = elements.bytes;
    for (std::size_t dim = 0; dim < dims; ++dim) {
        const std::int64_t way =
            std::int64_t{elements.steps[dim]} * (std::int64_t{elements.counts[dim]} - 1) * elements.bytes;
        (way < 0 ? low : end) += way;
    }
    if (wanted >= end || wanted + WordBytes <= low) return false;
    if (dims == 0) return true;
    const std::int64_t step = std::int64_t{elements.steps[dims - 1]} * elements.bytes;
    const std::uint32_t turns = step == 0 ? 1 : elements.counts[dims - 1];
    for (std::uint32_t i = 0; i < turns; ++i)
        if (has_word(elements, wanted - i * step, dims - 1)) return true;
    return false;
}

bool reads(const Elements& elements, const target::Core& target, const target::Location& word) {
    try {
        const target::Location first = target::locate(target, elements.address);
        return first.memory == word.memory && word.partition >= first.partition &&
               word.partition < first.partition + elements.partitions &&
               has_word(elements, std::int64_t{word.offset} - first.offset, isa::Dimensions);
    } catch (const target::Error&) {
        return false;  // the core refuses the instruction
    }
}

bool reads(const isa::Instruction& instruction, isa::Engine engine, const target::Core& target,
           const target::Location& word) {
    const isa::InstructionView bytes = instruction.bytes();
    const isa::InstructionInfo& info = *instruction.info();
    for (const isa::OperandInfo& operand : isa::operands_of(info)) {
        const isa::OperandFields& fields = isa::fields_of(operand.role);
        if (operand.role == isa::Role::Dst || !isa::is_there(bytes, operand) || get(bytes, *fields.reg) != 0)
            continue;
        const auto extent =
            operands::extent_of(bytes, operand, static_cast<std::uint32_t>(target.partitions) / 4);
        if (reads({get32(bytes, *fields.address), extent.partitions,
                   isa::element_size(get_as<isa::Dtype>(bytes, *fields.dtype)), extent.counts,
                   isa::steps_of(bytes, operand.role)},
                  target, word))
            return true;
    }
    const auto used = operands::reads_immediates(engine, bytes);
    std::size_t next = 0;
    for (const isa::ImmediateInfo& immediate : isa::immediates_of(info)) {
        if (!used.at(next++) || get(bytes, *immediate.flag) == 0) continue;
        if (reads({get32(bytes, *immediate.value), get32(bytes, isa::field::Partitions),
                   isa::element_size(isa::type_of(isa::vector_type(bytes, immediate)))},
                  target, word))
            return true;
    }
    return false;
}

}  // namespace

std::optional<std::size_t> first_reader(const neff::Package& package, isa::Engine engine,
                                        std::uint32_t address) {
    const target::Location word = target::locate(package.target, address);
    const auto& program = package.programs[static_cast<std::size_t>(engine)];
    for (std::size_t pc = 0; pc < program.size(); ++pc) {
        const isa::InstructionInfo* info = program[pc].info();
        if (info != nullptr && info->uses_a && reads(program[pc], engine, package.target, word)) return pc;
    }
    return std::nullopt;
}

std::string unwritten_reads(const Figures& figures, const neff::Package& package) {
    const tlm::MemoryCounts& counts = figures.memories;
    if (counts.unwritten == 0) return "";
    const auto engine = static_cast<isa::Engine>(counts.unwritten_reader);
    const auto pc = first_reader(package, engine, counts.unwritten_address);
    const std::string line = pc ? neff::source_line(package, counts.unwritten_reader, *pc) : "";
    const std::string reader =
        pc ? fmt::format(" instruction {} [{}]{}", *pc, describe(package, counts.unwritten_reader, *pc),
                         line.empty() ? "" : " at " + line)
           : "";
    return fmt::format(
        "{}{}: reads {}, which nothing has written; {} words in all", isa::name_of(engine), reader,
        isa::format_address(counts.unwritten_address, target::sbuf_partition_stride(package.target)),
        counts.unwritten);
}

}  // namespace trnsim::runtime
