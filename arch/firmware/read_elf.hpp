// Images of executables.
#pragma once

#include "arch/firmware/image.hpp"

namespace trnsim::firmware {

// Reads an executable for the core. Throws Error when it is something else or does not fit; `name` stands for
// the file.
Image read_elf(std::span<const std::uint8_t> bytes, std::string_view name);

}  // namespace trnsim::firmware
