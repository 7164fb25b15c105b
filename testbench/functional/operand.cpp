#include "testbench/functional/operand.hpp"

#include <array>

#include "testbench/builder/dtype.hpp"

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

std::uint32_t address_in(const neff::Target& target, const Operand& operand, std::uint32_t partition) {
    const auto memory =
        operand.address < isa::window::PsumBase ? builder::Memory::Sbuf : builder::Memory::Psum;
    return operand.address + partition * builder::partition_stride(target, memory);
}

}  // namespace

Operand operand_of(const isa::Instruction& instruction, Role role, std::uint32_t partitions) {
    const Fields& fields = fields_of(role);
    const std::array<const isa::Field*, 4> counts{&field::Count0, &field::Count1, &field::Count2,
                                                  &field::Count3};
    Operand operand;
    operand.address = static_cast<std::uint32_t>(instruction.get(*fields.address));
    operand.dtype = static_cast<isa::Dtype>(instruction.get(*fields.dtype));
    operand.partitions = partitions;
    operand.offsets = {0};
    const std::int64_t bytes = builder::bytes_of(operand.dtype);
    for (std::size_t dim = counts.size(); dim-- > 0;) {  // outermost first: each pass repeats what is there
        const auto count = static_cast<std::int64_t>(instruction.get(*counts[dim]));
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

std::vector<std::uint32_t> read_partition(const CoreMemory& memory, const neff::Target& target,
                                          const Operand& operand, std::uint32_t partition) {
    const std::uint32_t bytes = builder::bytes_of(operand.dtype);
    const std::uint32_t base = address_in(target, operand, partition);
    std::vector<std::uint32_t> bits;
    bits.reserve(operand.offsets.size());
    for (const std::int64_t offset : operand.offsets) {
        bits.push_back(memory.read(static_cast<std::uint32_t>(base + offset), bytes));
    }
    return bits;
}

void write_partition(CoreMemory& memory, const neff::Target& target, const Operand& operand,
                     std::uint32_t partition, const std::vector<std::uint32_t>& bits) {
    const std::uint32_t bytes = builder::bytes_of(operand.dtype);
    const std::uint32_t base = address_in(target, operand, partition);
    for (std::size_t i = 0; i < bits.size(); ++i) {
        memory.write(static_cast<std::uint32_t>(base + operand.offsets[i]), bytes, bits[i]);
    }
}

}  // namespace trnsim::functional
