// How a command of GpSimd's firmware ended, for people.
#pragma once

#include <cstdint>
#include <string>

#include "arch/firmware/image.hpp"
#include "firmware/include/trnsim/mailbox.hpp"

namespace trnsim::firmware {

// "an operand leaves its partitions"; "status 99" for a number that is none.
std::string text_of(Status status);

// The reason of a trap by mcause and mtval: "load outside its memory 0x80010000".
std::string text_of_trap(std::uint32_t cause, std::uint32_t value);

// "0x80003010, relu at relu.cpp:12". No image: none is known.
std::string text_of_place(const Image* image, std::uint32_t address);

// What a core has ended with, not well: "illegal instruction 0x0 at 0x80003010, relu at relu.cpp:12", or "relu: an operand
// leaves its partitions".
std::string text_of_end(const Image* image, const Mailbox& mailbox);

}  // namespace trnsim::firmware
