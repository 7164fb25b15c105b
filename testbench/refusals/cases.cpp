#include "testbench/refusals/cases.hpp"

#include "arch/target/memory.hpp"
#include "testbench/refusals/writer.hpp"

namespace trnsim::refusals {
namespace {

namespace field = isa::field;

builder::Tile tile_of(const Place& place, std::uint32_t partitions, const isa::Counts& count) {
    builder::Tile tile{place.memory, place.dtype, place.partition, partitions, place.offset, {}};
    for (std::size_t dim = count.size(); dim-- > 0;) {
        if (count[dim] != 1 || dim == 0) tile.axes.push_back({count[dim], place.step[dim]});
    }
    return tile;
}

isa::Counts counts_of(const Operands& operands, std::uint32_t fixed) {
    return fixed == 0 ? operands.count : isa::Counts{fixed, 1, 1, 1};
}

}  // namespace

Tiles tiles_of(const Operands& operands) {
    const std::uint32_t results =
        operands.dst_partitions != 0 ? operands.dst_partitions : operands.partitions;
    return {tile_of(operands.dst, results, counts_of(operands, operands.dst_elements)),
            tile_of(operands.a, operands.partitions, operands.count),
            tile_of(operands.b, operands.partitions, counts_of(operands, operands.b_elements))};
}

isa::Instruction Writer::filled(const isa::Instruction& instruction, const Operands& operands) const {
    isa::Instruction result = instruction;
    result.set(field::Partitions, operands.partitions);
    for (std::size_t dim = 0; dim < operands.count.size(); ++dim)
        result.set(*isa::count_fields()[dim], operands.count[dim]);
    for (const isa::OperandInfo& info : isa::operands_of(*instruction.info())) {
        const isa::OperandFields& fields = isa::fields_of(info.role);
        const Place& place = info.role == isa::Role::Dst ? operands.dst
                             : info.role == isa::Role::A ? operands.a
                                                         : operands.b;
        result.set(*fields.address, target::address_of(target, place.memory, place.partition, place.offset))
            .set(*fields.dtype, place.dtype);
        for (std::size_t dim = 0; dim < place.step.size(); ++dim)
            result.set_signed(*fields.steps[dim], place.step[dim]);
    }
    return result;
}

Case& Writer::add(std::string name, isa::Engine engine, isa::Error error, const Kind& kind,
                  const Operands& operands) {
    Call call;
    if (kind.call)
        call = [kind, tiles = tiles_of(operands)](builder::KernelBuilder& builder) {
            kind.call(builder, tiles);
        };
    return add(std::move(name), engine, error, filled(kind.instruction, operands), std::move(call));
}

Case& Writer::add(std::string name, isa::Engine engine, isa::Error error, const isa::Instruction& instruction,
                  Call call) {
    return cases_.emplace_back(Case{std::move(name), engine, {}, instruction, error, std::move(call), false});
}

std::vector<Case> cases(const target::Core& target) {
    Writer writer(target);
    add_control_cases(writer);
    add_sequencer_cases(writer);
    add_tensor_cases(writer);
    add_vector_cases(writer);
    add_scalar_cases(writer);
    add_gpsimd_cases(writer);
    return writer.take();
}

}  // namespace trnsim::refusals
