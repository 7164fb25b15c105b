// Operands of instructions: which fields say where they lie and of what type they are, and how many elements they have. The tables
// are generated from isa.yaml.
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
using Counts = std::array<std::uint32_t, Dimensions>;  // of elements along each dimension, innermost first
using Steps = std::array<std::int32_t, Dimensions>;    // elements

enum class Role : std::uint8_t { Dst, A, B };

// The operand of a role has the same fields in every format that has it.
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

// The counts of the shape.
extern const std::array<const Field*, Dimensions> CountFields;
inline const std::array<const Field*, Dimensions>& count_fields() {
    return CountFields;
}

// A tensor that an instruction writes (dst) or reads (a, b).
struct OperandInfo {
    Role role;
    std::uint16_t elements;   // a partition, 0 where the shape says
    const Field* partitions;  // their number
    const Field* reduced;     // the number of innermost axes of which it has one element; nullptr: none
    const Field* constant;    // the flag that puts imm0 in its place; nullptr: nothing does
    bool turned;  // has [elements, partitions] where the source is one block smaller than a quadrant's square
};
// In the order dst, a, b.
std::span<const OperandInfo> operands_of(const InstructionInfo& info);

// A constant, or with the flag the address of a [partitions,1] operand in its place.
struct ImmediateInfo {
    const Field *value, *flag;
    const Field* dtype;  // an ImmediateDtype; nullptr: it is fp32
};
// imm0 and imm1, or scale and bias.
std::span<const ImmediateInfo> immediates_of(const InstructionInfo& info);

// The field of its type; of an immediate without one that of fp32.
ImmediateDtype vector_type(InstructionView bytes, const ImmediateInfo& immediate);

// Counts and steps are four fields of 16 bits in a row each (isa/generate.py).
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

// Whether no constant stands in its place.
inline bool is_there(InstructionView bytes, const OperandInfo& operand) {
    return operand.constant == nullptr || get(bytes, *operand.constant) == 0;
}

// Elements of an operand in a partition, but for those that are `turned`.
Counts counts_of(InstructionView bytes, const OperandInfo& operand);

// Elements of all dimensions together, or `limit` if there are more.
std::uint64_t elements_up_to(const Counts& counts, std::uint64_t limit);

}  // namespace trnsim::isa
