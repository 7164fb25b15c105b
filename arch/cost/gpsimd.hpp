// Commands of the microcode on the GpSimd cores, estimated (docs/timing.md). Cycles of the engine's clock.
#pragma once

#include <cstdint>
#include <span>

#include "arch/config/config.hpp"
#include "arch/cost/cycles.hpp"
#include "isa/instruction.hpp"

namespace trnsim::cost {

// gpsimd_arguments, gpsimd_command, gpsimd_start. `arguments`: the first words of the mailbox that a command finds; where they are missing
// or the operation is none of the microcode, it is the start of a command alone.
Cycles gpsimd_cycles(const isa::Instruction& instruction, const config::Core& core,
                     std::span<const std::uint32_t> arguments);

}  // namespace trnsim::cost
