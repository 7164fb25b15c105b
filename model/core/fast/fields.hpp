// Fields of an instruction's bytes, without the checks of isa::Instruction: instructions are decoded as often as they are executed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "isa/isa_tables.hpp"

namespace trnsim::tlm::core_fast {

using InstructionBytes = std::array<std::uint8_t, isa::InstructionBytes>;
static_assert(std::endian::native == std::endian::little);

inline std::uint64_t get(const InstructionBytes& bytes, const isa::Field& field) {
    constexpr unsigned LastWord = isa::InstructionBytes - sizeof(std::uint64_t);
    const unsigned first = std::min(field.offset / 8U, LastWord);
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + first, sizeof(word));
    word >>= field.offset - 8U * first;
    return field.width == 64 ? word : word & ((std::uint64_t{1} << field.width) - 1);
}

inline std::uint32_t get32(const InstructionBytes& bytes, const isa::Field& field) {
    return static_cast<std::uint32_t>(get(bytes, field));
}

template <typename Enum>
Enum get_as(const InstructionBytes& bytes, const isa::Field& field) {
    return static_cast<Enum>(get(bytes, field));
}

// Fields must not cross 64-bit borders where they are added to.
inline void put32(InstructionBytes& bytes, const isa::Field& field, std::uint32_t value) {
    std::memcpy(bytes.data() + field.offset / 8U, &value, sizeof(value));
}

inline isa::Opcode opcode_of(const InstructionBytes& bytes) {
    return static_cast<isa::Opcode>(bytes[0]);
}

}  // namespace trnsim::tlm::core_fast
