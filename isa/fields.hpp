// Fields of an instruction's bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "isa/isa_tables.hpp"

namespace trnsim::isa {

using InstructionView = std::span<const std::uint8_t, InstructionBytes>;
static_assert(std::endian::native == std::endian::little);

// A field lies within the 64 bits that begin at its first byte (isa/generate.py).
inline std::uint64_t get(InstructionView bytes, const Field& field) {
    constexpr unsigned LastWord = InstructionBytes - sizeof(std::uint64_t);
    const unsigned first = std::min(field.offset / 8U, LastWord);
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + first, sizeof word);
    word >>= field.offset - 8U * first;
    return field.width == 64 ? word : word & ((std::uint64_t{1} << field.width) - 1);
}

inline std::int64_t get_signed(InstructionView bytes, const Field& field) {
    const unsigned unused = 64U - field.width;
    return static_cast<std::int64_t>(get(bytes, field) << unused) >> unused;
}

inline std::uint32_t get32(InstructionView bytes, const Field& field) {
    return static_cast<std::uint32_t>(get(bytes, field));
}

template <typename Enum>
Enum get_as(InstructionView bytes, const Field& field) {
    return static_cast<Enum>(get(bytes, field));
}

inline Opcode opcode_of(InstructionView bytes) {
    return static_cast<Opcode>(bytes[0]);
}

}  // namespace trnsim::isa
