#include "arch/cost/tensor_command.hpp"

#include "isa/element_type.hpp"

namespace trnsim::cost {

namespace field = isa::field;

TensorCommand decode_tensor(isa::InstructionView bytes, const config::Core& core, const Geometry& geometry) {
    TensorCommand command;
    const std::uint32_t a = get32(bytes, field::AAddr);
    const auto type = get_as<isa::Dtype>(bytes, field::ADtype);
    command.load = isa::opcode_of(bytes) == isa::Opcode::LoadStationary;
    command.row_tile = get(bytes, field::RowTile) != 0;
    command.column_tile = get(bytes, field::ColumnTile) != 0;
    const auto group_rows = static_cast<std::uint32_t>(core.array.rows / isa::array::RowGroups);
    const std::uint32_t row_group = command.row_tile ? geometry.partition(a) / group_rows : 0;
    const std::uint32_t column_group = command.column_tile ? get32(bytes, field::ColumnGroup) : 0;
    command.stream = column_group * isa::array::RowGroups + row_group;
    command.low = type == isa::Dtype::Fp32 && get(bytes, field::Onezero) == 0;
    command.count = isa::shape_of(bytes);
    command.columns =
        command.load ? static_cast<std::uint32_t>(elements_of(command.count)) : get32(bytes, field::Columns);
    command.step = isa::steps_of(bytes, isa::Role::A);
    command.bytes = isa::element_size(type);
    command.offset = geometry.offset(a);
    command.wide = is_far(command.count, command.step, command.bytes);
    if (!command.load) {
        const std::uint32_t dst = get32(bytes, field::DstAddr);
        command.bank =
            geometry.offset(dst) / static_cast<std::uint32_t>(core.psum_partition / core.psum_banks);
        command.first = geometry.partition(dst);
    }
    return command;
}

}  // namespace trnsim::cost
