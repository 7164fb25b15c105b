// One 64-byte instruction and the access to its fields.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "isa/isa_tables.hpp"

namespace trnsim::isa {

// Convert between the code of a [partitions,1] operand's type in an instruction and the type.
constexpr Dtype type_of(ImmediateDtype code) {
    return code == ImmediateDtype::Fp32 ? Dtype::Fp32 : static_cast<Dtype>(code);
}
constexpr ImmediateDtype immediate_dtype(Dtype dtype) {
    return dtype == Dtype::Fp32 ? ImmediateDtype::Fp32 : static_cast<ImmediateDtype>(dtype);
}

class Instruction {
  public:
    Instruction() = default;
    explicit Instruction(Opcode opcode) { set(field::Opcode, static_cast<std::uint64_t>(opcode)); }
    explicit Instruction(std::span<const std::uint8_t, InstructionBytes> bytes);

    std::span<const std::uint8_t, InstructionBytes> bytes() const { return bytes_; }

    // Throws std::out_of_range when the value does not fit the field.
    Instruction& set(const Field& field, std::uint64_t value);
    Instruction& set_signed(const Field& field, std::int64_t value);
    Instruction& set_float(const Field& field, float value) {
        return set(field, std::bit_cast<std::uint32_t>(value));
    }
    template <typename Enum>
    requires std::is_enum_v<Enum> Instruction& set(const Field& field, Enum value) {
        return set(field, static_cast<std::uint64_t>(value));
    }

    std::uint64_t get(const Field& field) const;
    std::int64_t get_signed(const Field& field) const;
    float get_float(const Field& field) const {
        return std::bit_cast<float>(static_cast<std::uint32_t>(get(field)));
    }

    Opcode opcode() const { return static_cast<Opcode>(bytes_[0]); }
    // Returns nullptr when the opcode is not defined.
    const InstructionInfo* info() const { return find_instruction(opcode()); }

    // Returns whether it reads operand b: a constant may stand in its place. False for an undefined opcode.
    bool reads_b() const;

    bool operator==(const Instruction&) const = default;

  private:
    std::array<std::uint8_t, InstructionBytes> bytes_{};
};

}  // namespace trnsim::isa
