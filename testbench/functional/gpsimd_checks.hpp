// What the GpSimd microcode refuses of a command's arguments: a second definition of the table in docs/firmware.md beside the
// firmware's.
#pragma once

#include <cstdint>
#include <span>

#include "compiler/neff/package.hpp"
#include "firmware/include/trnsim/microcode.hpp"

namespace trnsim::functional {

// Ok, or how the command ends, having written nothing. What only the data tells (an index) is for run_microcode().
firmware::Status check_microcode(firmware::Command command, std::span<const std::uint32_t> words,
                                 const target::Core& target);

}  // namespace trnsim::functional
