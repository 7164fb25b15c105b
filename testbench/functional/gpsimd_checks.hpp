// Checks the arguments of a command as the GpSimd microcode does: a second definition, beside the firmware's,
// of the table in docs/firmware.md.
#pragma once

#include <cstdint>
#include <span>

#include "compiler/neff/package.hpp"
#include "firmware/include/trnsim/microcode.hpp"

namespace trnsim::functional {

// Returns Ok, or the status with which the command ends having written nothing. run_microcode() checks what
// depends on the data (an index).
firmware::Status check_microcode(firmware::Command command, std::span<const std::uint32_t> words,
                                 const target::Core& target);

}  // namespace trnsim::functional
