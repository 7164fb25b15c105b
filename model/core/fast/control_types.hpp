// Types shared by the blocks of the fast core's control (rtl/control/control_pkg.sv).
#pragma once

#include <cstdint>

#include "isa/isa_tables.hpp"
#include "isa/opcode_class.hpp"

namespace trnsim::tlm::core_fast {

inline constexpr unsigned EngineCount = 5;
inline constexpr std::uint32_t ControlWords = 256;  // semaphores, and events
inline constexpr std::uint8_t EngineSystem = 7;     // in the error registers: an access from outside

struct SemaphoreUpdate {
    isa::UpdateMode mode = isa::UpdateMode::None;
    std::uint8_t semaphore = 0;
    std::uint32_t value = 0;
};

// The origin of an instruction.
struct Origin {
    std::uint32_t pc = 0;
    std::uint8_t opcode = 0;
};

// The contents of the error registers.
struct CoreFault {
    isa::Error code = isa::Error::None;
    std::uint8_t engine = 0;
    Origin origin;
    std::uint32_t address = 0;
};

struct ProgramPlace {
    std::uint64_t base = 0;    // in instructions
    std::uint32_t length = 0;  // instructions, 0: not known
};

using isa::is_control;
using isa::is_scalar;
using isa::uses_bus;
using isa::uses_window;

}  // namespace trnsim::tlm::core_fast
