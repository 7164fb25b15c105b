// The result of a command of GpSimd's firmware, as text for people.
#pragma once

#include <cstdint>
#include <string>

#include "arch/firmware/image.hpp"
#include "firmware/include/trnsim/mailbox.hpp"

namespace trnsim::firmware {

// Returns "an operand leaves its partitions", or "status 99" for an unknown number.
std::string text_of(Status status);

// Returns the reason of a trap by mcause and mtval: "load outside its memory 0x80010000".
std::string text_of_trap(std::uint32_t cause, std::uint32_t value);

// Returns "0x80003010, relu at relu.cpp:12". Without an image no source place is known.
std::string text_of_place(const Image* image, std::uint32_t address);

// Returns the text of a failed end of a core: "illegal instruction 0x0 at 0x80003010, relu at relu.cpp:12",
// or "relu: an operand leaves its partitions".
std::string text_of_end(const Image* image, const Mailbox& mailbox);

}  // namespace trnsim::firmware
