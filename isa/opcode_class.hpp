// Who executes an instruction.
#pragma once

#include <cstdint>

#include "isa/isa_tables.hpp"

namespace trnsim::isa {

// The sequencer itself; all others are of an engine's data path.
constexpr bool is_control(Opcode opcode) {
    return static_cast<std::uint8_t>(opcode) < 0x10;
}
// Touches nothing but the sequencer.
constexpr bool is_scalar(Opcode opcode) {
    return opcode == Opcode::Branch || opcode == Opcode::RegisterAlu;
}
constexpr bool uses_bus(Opcode opcode) {
    return opcode == Opcode::Write || opcode == Opcode::DmaTrigger;
}
constexpr bool uses_window(Opcode opcode) {
    return opcode == Opcode::RegisterLoad || opcode == Opcode::RegisterStore;
}

}  // namespace trnsim::isa
