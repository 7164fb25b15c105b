// Operands of instructions: the fields that hold their places and types, and the number of their elements.
// The tables are generated from isa.yaml.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "isa/fields.hpp"

namespace trnsim::isa {

inline constexpr std::size_t Dimensions = 4;
using Counts = std::array<std::uint32_t, Dimensions>;  // elements along each dimension, innermost first
using Steps = std::array<std::int32_t, Dimensions>;    // elements

enum class Role : std::uint8_t { Dst, A, B };

// The fields of an operand. A role (dst, a, b) has the same fields in every format that has it.
struct OperandFields {
    std::string_view name;
    const Field *address, *dtype;
    const Field* reg;  // the scalar register that is added to the address
    std::array<const Field*, Dimensions> steps;
};
extern const std::array<OperandFields, 3> RoleFields;
inline const OperandFields& fields_of(Role role) {
    return RoleFields[static_cast<std::size_t>(role)];
}

// The fields with the counts of the shape.
extern const std::array<const Field*, Dimensions> CountFields;
inline const std::array<const Field*, Dimensions>& count_fields() {
    return CountFields;
}

// A tensor that an instruction writes (dst) or reads (a, b).
struct OperandInfo {
    Role role;
    std::uint16_t elements;   // per partition; 0: the shape gives them
    const Field* partitions;  // the number of partitions
    const Field* reduced;     // the number of innermost axes that have one element here; nullptr: none
    const Field* constant;    // the flag that puts imm0 in its place; nullptr: there is no such flag
    bool turned;  // is [elements, partitions] if the source is one block smaller than a quadrant's square
};
// Returns the operands in the order dst, a, b.
std::span<const OperandInfo> operands_of(const InstructionInfo& info);

// A constant, or if the flag is set the address of a [partitions,1] operand in its place.
struct ImmediateInfo {
    const Field *value, *flag;
    const Field* dtype;  // an ImmediateDtype; nullptr: it is fp32
};
// Returns imm0 and imm1, or scale and bias.
std::span<const ImmediateInfo> immediates_of(const InstructionInfo& info);

// Returns the type in the field `dtype`; fp32 for an immediate without that field.
ImmediateDtype vector_type(InstructionView bytes, const ImmediateInfo& immediate);

// Counts and steps are each four consecutive fields of 16 bits (isa/generate.py).
template <typename Word>
std::array<Word, Dimensions> words_at(InstructionView bytes, const Field& first) {
    std::array<Word, Dimensions> words{};
    static_assert(sizeof words == 8);
    std::memcpy(words.data(), bytes.data() + first.offset / 8, sizeof words);
    return words;
}
inline Counts shape_of(InstructionView bytes) {
    const auto words = words_at<std::uint16_t>(bytes, *CountFields[0]);
    return {words[0], words[1], words[2], words[3]};
}
inline Steps steps_of(InstructionView bytes, Role role) {
    const auto words = words_at<std::int16_t>(bytes, *fields_of(role).steps[0]);
    return {words[0], words[1], words[2], words[3]};
}

// True if no constant stands in the operand's place.
inline bool is_there(InstructionView bytes, const OperandInfo& operand) {
    return operand.constant == nullptr || get(bytes, *operand.constant) == 0;
}

// Returns the elements of an operand in a partition. It ignores `turned`.
Counts counts_of(InstructionView bytes, const OperandInfo& operand);

// Returns the product of all counts, or `limit` if it is larger.
std::uint64_t elements_up_to(const Counts& counts, std::uint64_t limit);

}  // namespace trnsim::isa
