// The unit that executes an instruction.
#pragma once

#include <cstdint>

#include "isa/isa_tables.hpp"

namespace trnsim::isa {

// True if the sequencer itself executes it; the data path of an engine executes all others.
constexpr bool is_control(Opcode opcode) {
    return static_cast<std::uint8_t>(opcode) < 0x10;
}
// True if it touches nothing but the sequencer.
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
