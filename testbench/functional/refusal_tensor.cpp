// The checks of the Tensor engine: docs/tensor-engine.md, "What is refused".
#include <array>

#include "arch/target/dtype.hpp"
#include "arch/target/memory.hpp"
#include "isa/element_type.hpp"
#include "isa/operands.hpp"
#include "testbench/functional/refusal.hpp"

namespace trnsim::functional {

namespace field = isa::field;

namespace {

// The part of the array that an instruction works in, and its operands.
struct ArrayWork {
    const isa::Instruction& instruction;
    const target::Core& target;
    const TensorEngine& engine;
    bool load = instruction.opcode() == isa::Opcode::LoadStationary;
    std::uint32_t a = get32(instruction.bytes(), field::AAddr);
    std::uint32_t dst = load ? 0 : get32(instruction.bytes(), field::DstAddr);
    isa::Dtype dtype = get_as<isa::Dtype>(instruction.bytes(), field::ADtype);
    std::uint32_t rows = get32(instruction.bytes(), field::Partitions);
    std::uint32_t columns = load ? 0 : get32(instruction.bytes(), field::Columns);
    bool row_tile = instruction.get(field::RowTile) != 0;
    bool column_tile = instruction.get(field::ColumnTile) != 0;

    bool a_in_sbuf() const { return a < isa::window::PsumBase; }
    std::uint32_t first_row() const { return a / target::sbuf_partition_stride(target); }
    std::uint32_t group_rows() const {
        return static_cast<std::uint32_t>(target.rows) / isa::array::RowGroups;
    }
    std::uint32_t most_columns() const {
        return static_cast<std::uint32_t>(target.columns) / (column_tile ? isa::array::ColumnGroups : 1);
    }
    bool more_elements_than(std::uint64_t most) const {
        return isa::elements_up_to(isa::shape_of(instruction.bytes()), most + 1) > most;
    }
    bool crosses_bank() const {
        std::int64_t low =
            (dst - isa::window::PsumBase) % target::partition_stride(target, target::Memory::Psum);
        std::int64_t high = low + 3;
        const isa::Counts counts = isa::shape_of(instruction.bytes());
        const isa::Steps steps = isa::steps_of(instruction.bytes(), isa::Role::Dst);
        for (std::size_t dim = 0; dim < counts.size(); ++dim) {
            const std::int64_t way = steps[dim] * (std::int64_t{counts[dim]} - 1) * 4;
            (way < 0 ? low : high) += way;
        }
        const auto bank = std::int64_t{target::bank_bytes(target)};
        return low / bank != high / bank;
    }
};

struct ArrayRule {
    isa::Error error;
    std::string_view text;
    bool (*breaks)(const ArrayWork&);
};
constexpr std::array ArrayRules{
    ArrayRule{
        isa::Error::UnsupportedOperand, "the Tensor engine reads SBUF and writes PSUM",
        [](const ArrayWork& w) { return !w.a_in_sbuf() || (!w.load && w.dst < isa::window::PsumBase); }},
    ArrayRule{isa::Error::Dtype, "operands are no integers, and the result is fp32",
              [](const ArrayWork& w) {
                  return !target::is_float(w.dtype) ||
                         (!w.load &&
                          get_as<isa::Dtype>(w.instruction.bytes(), field::DstDtype) != isa::Dtype::Fp32);
              }},
    ArrayRule{isa::Error::PartitionRange, "rows beyond those of the array",
              [](const ArrayWork& w) {
                  return w.first_row() + w.rows > static_cast<std::uint32_t>(w.target.rows);
              }},
    ArrayRule{isa::Error::PartitionStart,
              "an operand starts at row 0, with row_tile at the first row of a half and within it",
              [](const ArrayWork& w) {
                  return (w.row_tile ? w.first_row() % w.group_rows() : w.first_row()) != 0 ||
                         (w.row_tile && w.rows > w.group_rows());
              }},
    ArrayRule{isa::Error::Shape, "there is no such column group",
              [](const ArrayWork& w) {
                  return w.instruction.get(field::ColumnGroup) >=
                         (w.column_tile ? isa::array::ColumnGroups : 1);
              }},
    ArrayRule{isa::Error::Shape, "more columns than the array or column group has",
              [](const ArrayWork& w) { return w.load && w.more_elements_than(w.most_columns()); }},
    ArrayRule{isa::Error::Shape, "no columns, or more than the array or column group has",
              [](const ArrayWork& w) { return !w.load && (w.columns == 0 || w.columns > w.most_columns()); }},
    ArrayRule{
        isa::Error::Shape, "more moving elements than a PSUM bank holds",
        [](const ArrayWork& w) { return !w.load && w.more_elements_than(target::bank_columns(w.target)); }},
    ArrayRule{isa::Error::BankCrossing, "dst crosses a PSUM bank",
              [](const ArrayWork& w) { return !w.load && w.crosses_bank(); }},
    ArrayRule{isa::Error::StationaryOperand, "no stationary operand with these rows and columns is loaded",
              [](const ArrayWork& w) {
                  if (w.load) return false;
                  const auto loaded = w.engine.loaded_for(w.instruction);
                  return !loaded || w.rows > loaded->rows || w.columns > loaded->columns;
              }},
    ArrayRule{isa::Error::Dtype, "fp32 and tf32 only go with each other",
              [](const ArrayWork& w) {
                  return !w.load && !target::multiplies(w.engine.loaded_for(w.instruction)->dtype, w.dtype);
              }},
};

}  // namespace

Refusal refusal_by_tensor(const isa::Instruction& instruction, const target::Core& target,
                          const TensorEngine& engine) {
    const ArrayWork work{instruction, target, engine};
    for (const ArrayRule& rule : ArrayRules) {
        if (!rule.breaks(work)) continue;
        return {rule.error, rule.error == isa::Error::BankCrossing ? work.dst : 0, rule.text};
    }
    return {};
}

}  // namespace trnsim::functional
