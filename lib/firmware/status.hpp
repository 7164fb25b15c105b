// How a command of GpSimd's firmware ended, for people.
#pragma once

#include <string>

#include "firmware/include/trnsim/mailbox.hpp"

namespace trnsim::firmware {

// "an operand leaves its partitions"; "status 99" for a number that is none.
std::string text_of(Status status);

}  // namespace trnsim::firmware
