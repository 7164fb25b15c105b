// How a command of GpSimd's firmware ended, for people.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/include/trnsim/mailbox.hpp"

namespace trnsim::firmware {

// "an operand leaves its partitions"; "status 99" for a number that is none.
std::string text_of(Status status);

// The reason of a trap by mcause and mtval: "load outside its memory 0x80010000".
std::string text_of_trap(std::uint32_t cause, std::uint32_t value);

}  // namespace trnsim::firmware
