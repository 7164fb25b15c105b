// The bytes of an instruction, as sequencers and engines pass them on.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "isa/fields.hpp"

namespace trnsim::tlm::core_fast {

using InstructionBytes = std::array<std::uint8_t, isa::InstructionBytes>;
using isa::opcode_of;

// Fields that are added to must not cross 64-bit borders.
inline void put32(InstructionBytes& bytes, const isa::Field& field, std::uint32_t value) {
    std::memcpy(bytes.data() + field.offset / 8U, &value, sizeof(value));
}

}  // namespace trnsim::tlm::core_fast
