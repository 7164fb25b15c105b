#include "isa/instruction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "isa/operands.hpp"

namespace trnsim::isa {

Instruction::Instruction(InstructionView bytes) {
    std::ranges::copy(bytes, bytes_.begin());
}

Instruction& Instruction::set(const Field& field, std::uint64_t value) {
    if (field.width < 64 && value >> field.width != 0) {
        throw std::out_of_range(
            fmt::format("{} = {}: the field has {} bits", field.name, value, field.width));
    }
    for (unsigned bit = 0; bit < field.width; ++bit) {
        const unsigned place = field.offset + bit;
        const auto mask = static_cast<std::uint8_t>(1u << (place % 8));
        std::uint8_t& byte = bytes_[place / 8];
        byte = static_cast<std::uint8_t>((value >> bit & 1) != 0 ? byte | mask : byte & ~mask);
    }
    return *this;
}

Instruction& Instruction::set_signed(const Field& field, std::int64_t value) {
    const std::int64_t limit = std::int64_t{1} << (field.width - 1);
    if (value < -limit || value >= limit) {
        throw std::out_of_range(
            fmt::format("{} = {}: allowed is {} to {}", field.name, value, -limit, limit - 1));
    }
    return set(field, static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << field.width) - 1));
}

std::uint64_t Instruction::get(const Field& field) const {
    return isa::get(bytes_, field);
}

std::int64_t Instruction::get_signed(const Field& field) const {
    return isa::get_signed(bytes_, field);
}

bool Instruction::reads_b() const {
    const InstructionInfo* found = info();
    if (found == nullptr) return false;
    return std::ranges::any_of(operands_of(*found), [&](const OperandInfo& operand) {
        return operand.role == Role::B && is_there(bytes_, operand);
    });
}

}  // namespace trnsim::isa
