// The instructions that the Tensor engine refuses (rtl/tensor/tensor_decode.sv).
#include "isa/element_type.hpp"
#include "isa/operands.hpp"
#include "model/values/check.hpp"

namespace trnsim::fast {

namespace field = isa::field;
using isa::Dtype;
using isa::Error;
using isa::Instruction;
using isa::Opcode;

namespace {

// The part of the array in which an instruction works.
struct Span {
    bool load, row_tile, column_tile;
    std::uint32_t group, column_group;  // row group, column group
    std::uint32_t first, last;          // rows
    std::uint32_t group_rows, most_columns;
    std::uint64_t elements;
    std::size_t tile() const { return column_group * isa::array::RowGroups + group; }
};

Span span_of(const Instruction& instruction, const Memories& memories, const config::Core& core) {
    const auto address = static_cast<std::uint32_t>(instruction.get(field::AAddr));
    const std::uint32_t first = memories.locate(address)->partition;
    const auto rows = static_cast<std::uint32_t>(core.array.rows) / isa::array::RowGroups;
    const auto columns = static_cast<std::uint32_t>(core.array.columns);
    const bool row_tile = instruction.get(field::RowTile) != 0;
    const bool column_tile = instruction.get(field::ColumnTile) != 0;
    return {instruction.opcode() == Opcode::LoadStationary,
            row_tile,
            column_tile,
            row_tile ? first / rows : 0,
            static_cast<std::uint32_t>(instruction.get(field::ColumnGroup)),
            first,
            first + static_cast<std::uint32_t>(instruction.get(field::Partitions)) - 1,
            rows,
            column_tile ? columns / isa::array::ColumnGroups : columns,
            isa::elements_up_to(isa::shape_of(instruction.bytes()), UINT64_MAX)};
}

bool crosses_bank(const Instruction& instruction, const Memories& memories, std::uint32_t bank_bytes) {
    const auto address = static_cast<std::uint32_t>(instruction.get(field::DstAddr));
    std::int64_t lowest = memories.locate(address)->offset, highest = lowest + 3;
    const isa::Counts counts = isa::shape_of(instruction.bytes());
    const isa::Steps steps = isa::steps_of(instruction.bytes(), isa::Role::Dst);
    for (std::size_t d = 0; d < counts.size(); ++d) {
        const std::int64_t reach = steps[d] * std::int64_t{counts[d] - 1} * 4;
        (reach < 0 ? lowest : highest) += reach;
    }
    return lowest / bank_bytes != highest / bank_bytes;
}

bool is_wide(Dtype dtype) {
    return isa::element_size(dtype) == 4;
}

}  // namespace

Error check_tensor(const Instruction& instruction, const Memories& memories, const config::Core& core,
                   const Stationaries& loaded) {
    const bool load = instruction.opcode() == Opcode::LoadStationary;
    const auto in_psum = [&](const isa::Field& address) {
        return instruction.get(address) >= isa::window::PsumBase;
    };
    if (in_psum(field::AAddr) || (!load && !in_psum(field::DstAddr))) return Error::UnsupportedOperand;
    const auto dtype = static_cast<Dtype>(instruction.get(field::ADtype));
    if (isa::is_integer_type(dtype) ||
        (!load && static_cast<Dtype>(instruction.get(field::DstDtype)) != Dtype::Fp32)) {
        return Error::Dtype;
    }
    const Span span = span_of(instruction, memories, core);
    if (span.last >= core.array.rows) return Error::PartitionRange;
    if (span.first != span.group * span.group_rows ||
        (span.row_tile && span.last - span.first >= span.group_rows)) {
        return Error::PartitionStart;
    }
    if (span.column_group >= (span.column_tile ? isa::array::ColumnGroups : 1)) return Error::Shape;
    if (load) return span.elements > span.most_columns ? Error::Shape : Error::None;
    const auto columns = static_cast<std::uint32_t>(instruction.get(field::Columns));
    const auto bank_bytes = static_cast<std::uint32_t>(core.psum_partition / core.psum_banks);
    if (columns == 0 || columns > span.most_columns || span.elements > bank_bytes / 4) return Error::Shape;
    if (crosses_bank(instruction, memories, bank_bytes)) return Error::BankCrossing;
    const Stationaries::Tile& tile = loaded.tiles[span.tile()];
    const bool fits = tile.valid && loaded.row_tile == span.row_tile &&
                      loaded.column_tile == span.column_tile && span.last <= tile.last &&
                      columns <= tile.columns;
    if (!fits) return Error::StationaryOperand;
    return tile.wide == is_wide(dtype) ? Error::None : Error::Dtype;
}

void note_load(const Instruction& instruction, const Memories& memories, const config::Core& core,
               Stationaries& loaded) {
    const Span span = span_of(instruction, memories, core);
    if (loaded.row_tile != span.row_tile || loaded.column_tile != span.column_tile) loaded = {};
    loaded.row_tile = span.row_tile;
    loaded.column_tile = span.column_tile;
    loaded.tiles[span.tile()] = {true, is_wide(static_cast<Dtype>(instruction.get(field::ADtype))), span.last,
                                 static_cast<std::uint32_t>(span.elements)};
}

std::size_t tile_of(const Instruction& instruction, const Memories& memories, const config::Core& core) {
    return span_of(instruction, memories, core).tile();
}

}  // namespace trnsim::fast
