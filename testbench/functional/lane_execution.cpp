#include "testbench/functional/lane_execution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "arch/numerics/format.hpp"
#include "isa/element_type.hpp"
#include "testbench/functional/error.hpp"

namespace trnsim::functional {

namespace field = isa::field;

LaneExecution::LaneExecution(const isa::Instruction& instruction, const target::Core& target,
                             LaneState& state, CoreMemory& memory)
    : instruction(instruction),
      target(target),
      state(state),
      partitions(static_cast<std::uint32_t>(instruction.get(field::Partitions))),
      memory_(memory) {
    const isa::InstructionInfo& info = *instruction.info();
    if (partitions < 1 || partitions > static_cast<std::uint32_t>(target.partitions)) {
        throw Error(fmt::format("{} partitions of {}", partitions, target.partitions));
    }
    const bool reads_b = instruction.reads_b();
    if (info.uses_dst) dst = operand_of(instruction, target, Role::Dst, partitions);
    if (info.uses_a) a = operand_of(instruction, target, Role::A, partitions);
    if (reads_b) {
        b = operand_of(instruction, target, Role::B, partitions);
        require(a.address < isa::window::PsumBase || b.address < isa::window::PsumBase,
                "both sources are in PSUM");
    }
    const std::uint32_t results = operand_partitions(instruction, target, Role::Dst);
    for (const auto& [source, used] : {std::pair{&a, info.uses_a}, std::pair{&b, reads_b}}) {
        if (!info.uses_dst || !used) continue;
        require(
            !overlap_is_undefined(places_of(target, dst, results), places_of(target, *source, partitions)),
            "dst overlaps a source other than exactly in place or interleaved");
    }
    if (info.uses_b && info.opcode != isa::Opcode::TensorCopyPredicated)
        require(instruction.get(field::BImmediate) == 0, "b_immediate does not belong here");
    if (info.format == "unary" && info.opcode != isa::Opcode::Dropout) {
        immediate_type(field::Imm0Dtype, field::Imm0Vector, std::array{isa::Dtype::Fp32});
    }
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

std::uint32_t LaneExecution::immediate_bits(const isa::Field& value, const isa::Field& is_vector,
                                            std::uint32_t row, isa::Dtype dtype) const {
    const auto word = static_cast<std::uint32_t>(instruction.get(value));
    if (instruction.get(is_vector) == 0) return word;
    require(word < isa::window::PsumBase, "a per-partition operand is not in SBUF");
    return bits({word, dtype, partitions, {0}}, row)[0];
}

float LaneExecution::immediate(const isa::Field& value, const isa::Field& is_vector, std::uint32_t row,
                               isa::Dtype dtype) const {
    return numerics::to_fp32(immediate_bits(value, is_vector, row, dtype), dtype);
}

isa::Dtype LaneExecution::immediate_type(const isa::Field& dtype, const isa::Field& is_vector,
                                         std::span<const isa::Dtype> types) const {
    const auto code = static_cast<isa::ImmediateDtype>(instruction.get(dtype));
    const isa::Dtype type = isa::type_of(code);
    const bool fits = !isa::name_of(code).empty() && std::ranges::find(types, type) != types.end() &&
                      (type == isa::Dtype::Fp32 || instruction.get(is_vector) != 0);
    require(fits, "a per-partition operand has a type that does not belong here");
    return type;
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
}

void LaneExecution::commit() {
    const std::uint32_t bytes = isa::element_size(dst.dtype);
    for (const Write& write : writes_) memory_.write(write.address, bytes, write.bits);
    writes_.clear();
}

void require(bool holds, const char* rule) {
    if (!holds) throw Error(rule);
}

bool is_integer(isa::Dtype dtype) {
    return !numerics::is_float(dtype);
}

void require_same_integers(std::initializer_list<const Operand*> operands) {
    const Operand& first = **operands.begin();
    for (const Operand* operand : operands) {
        require(
            is_integer(operand->dtype) && isa::element_size(operand->dtype) == isa::element_size(first.dtype),
            "bit operations take integers of one width");
    }
}

}  // namespace trnsim::functional
