// Commands of the microcode on the GpSimd cores, estimated (docs/timing.md). Cycles of the engine's clock.
#pragma once

#include <cstdint>
#include <span>

#include "arch/config/config.hpp"
#include "arch/cost/cycles.hpp"
#include "isa/instruction.hpp"

namespace trnsim::cost {

// Covers gpsimd_arguments, gpsimd_command and gpsimd_start. `arguments` are the first words of the mailbox at
// a command; if they are missing or the microcode lacks the operation, the result is the start of a command
// alone.
Cycles gpsimd_cycles(const isa::Instruction& instruction, const config::Core& core,
                     std::span<const std::uint32_t> arguments);

}  // namespace trnsim::cost
