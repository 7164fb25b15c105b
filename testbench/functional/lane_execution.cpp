#include "testbench/functional/lane_execution.hpp"

#include <algorithm>
#include <ranges>
#include <unordered_set>
#include <utility>

#include "arch/numerics/format.hpp"
#include "arch/operands/operands.hpp"
#include "isa/element_type.hpp"

namespace trnsim::functional {

namespace field = isa::field;

LaneExecution::LaneExecution(isa::Engine engine, const isa::Instruction& instruction,
                             const target::Core& target, LaneState& state, CoreMemory& memory)
    : instruction(instruction),
      target(target),
      state(state),
      partitions(static_cast<std::uint32_t>(instruction.get(field::Partitions))),
      reads_immediates_(operands::reads_immediates(engine, instruction.bytes())),
      memory_(memory) {
    const isa::InstructionInfo& info = *instruction.info();
    if (info.uses_dst) dst = operand_of(instruction, target, Role::Dst, partitions);
    if (info.uses_a) a = operand_of(instruction, target, Role::A, partitions);
    if (instruction.reads_b()) b = operand_of(instruction, target, Role::B, partitions);
}

Bits LaneExecution::bits(const Operand& operand, std::uint32_t row) const {
    return read_partition(memory_, target, operand, row);
}

Values LaneExecution::values(const Operand& operand, std::uint32_t row) const {
    const Bits stored = bits(operand, row);
    Values values(stored.size());
    for (std::size_t i = 0; i < stored.size(); ++i) values[i] = numerics::to_fp32(stored[i], operand.dtype);
    return values;
}

bool LaneExecution::reads(const isa::Field& value) const {
    const auto immediates = isa::immediates_of(*instruction.info());
    const auto found = std::ranges::find_if(immediates, [&](const isa::ImmediateInfo& immediate) {
        return immediate.value->offset == value.offset;
    });
    return found != immediates.end() &&
           reads_immediates_.at(static_cast<std::size_t>(found - immediates.begin()));
}

std::uint32_t LaneExecution::immediate_bits(const isa::Field& value, const isa::Field& is_vector,
                                            std::uint32_t row, isa::Dtype dtype) const {
    const auto word = static_cast<std::uint32_t>(instruction.get(value));
    if (instruction.get(is_vector) == 0) return word;
    return reads(value) ? bits({word, dtype, partitions, {0}}, row)[0] : 0;
}

float LaneExecution::immediate(const isa::Field& value, const isa::Field& is_vector, std::uint32_t row,
                               isa::Dtype dtype) const {
    return numerics::to_fp32(immediate_bits(value, is_vector, row, dtype), dtype);
}

isa::Dtype LaneExecution::immediate_type(const isa::Field& dtype) const {
    return isa::type_of(static_cast<isa::ImmediateDtype>(instruction.get(dtype)));
}

std::uint32_t LaneExecution::narrow(float value, std::uint32_t row) {
    const auto rounding = static_cast<isa::Rounding>(instruction.get(field::Rounding));
    const bool stochastic =
        rounding == isa::Rounding::Stochastic || (rounding == isa::Rounding::Core && state.stochastic);
    if (!stochastic || !numerics::rounds_stochastically(dst.dtype)) {
        return numerics::from_fp32(value, dst.dtype);
    }
    return numerics::from_fp32(value, dst.dtype, state.rounding[row].draw());
}

void LaneExecution::put(std::uint32_t row, const Values& values) {
    for (std::size_t i = 0; i < values.size(); ++i) put_element(row, i, narrow(values[i], row));
}

void LaneExecution::put_bits(std::uint32_t row, const Bits& bits) {
    for (std::size_t i = 0; i < bits.size(); ++i) put_element(row, i, bits[i]);
}

void LaneExecution::put_element(std::uint32_t row, std::size_t index, std::uint32_t bits) {
    writes_.push_back({element_address(target, dst, row, index), bits});
    if (writes_.size() >= drop_at_) drop_replaced();
}

void LaneExecution::drop_replaced() {
    std::unordered_set<std::uint32_t> later;
    std::vector<Write> kept;
    for (const Write& write : std::views::reverse(writes_))
        if (later.insert(write.address).second) kept.push_back(write);
    std::ranges::reverse(kept);
    writes_ = std::move(kept);
    drop_at_ = std::max(DropAt, 2 * writes_.size());
}

void LaneExecution::commit() {
    const std::uint32_t bytes = isa::element_size(dst.dtype);
    for (const Write& write : writes_) memory_.write(write.address, bytes, write.bits);
    writes_.clear();
}

}  // namespace trnsim::functional
