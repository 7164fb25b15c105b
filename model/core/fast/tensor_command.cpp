#include "model/core/fast/tensor_command.hpp"

#include "isa/element_type.hpp"

namespace trnsim::tlm::core_fast {

namespace field = isa::field;

TensorDecoder::TensorDecoder(const config::Core& core, const Geometry& geometry)
    : geometry_(geometry),
      group_rows_(static_cast<std::uint32_t>(core.array.rows / isa::array::RowGroups)),
      bank_bytes_(static_cast<std::uint32_t>(core.psum_partition / core.psum_banks)) {}

TensorCommand TensorDecoder::next(const InstructionBytes& bytes) {
    TensorCommand command;
    const std::uint32_t a = get32(bytes, field::AAddr);
    const auto type = get_as<isa::Dtype>(bytes, field::ADtype);
    command.load = opcode_of(bytes) == isa::Opcode::LoadStationary;
    command.row_tile = get(bytes, field::RowTile) != 0;
    command.column_tile = get(bytes, field::ColumnTile) != 0;
    const std::uint32_t row_group = command.row_tile ? geometry_.partition(a) / group_rows_ : 0;
    const std::uint32_t column_group = command.column_tile ? get32(bytes, field::ColumnGroup) : 0;
    command.stream = column_group * isa::array::RowGroups + row_group;
    command.low = type == isa::Dtype::Fp32 && get(bytes, field::Onezero) == 0;
    command.other_low = low_[command.stream];
    command.count = isa::shape_of(bytes);
    command.columns =
        command.load ? static_cast<std::uint32_t>(elements_of(command.count)) : get32(bytes, field::Columns);
    command.step = isa::steps_of(bytes, isa::Role::A);
    command.bytes = isa::element_size(type);
    command.offset = geometry_.offset(a);
    command.wide = is_far(command.count, command.step, command.bytes);
    if (command.load) {
        low_[command.stream] = command.low;
    } else {
        const std::uint32_t dst = get32(bytes, field::DstAddr);
        command.bank = geometry_.offset(dst) / bank_bytes_;
        command.first = geometry_.partition(dst);
    }
    return command;
}

}  // namespace trnsim::tlm::core_fast
