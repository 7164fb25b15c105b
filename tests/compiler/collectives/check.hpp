// Proves of a schedule that no order which its waits allow goes wrong. Knows nothing of how schedules are
// made.
#pragma once

#include <optional>
#include <string>

#include "compiler/collectives/request.hpp"
#include "compiler/collectives/schedule.hpp"

namespace trnsim::collectives::test {

// The fault of a schedule, in one line; none: each step is in one list, its operands are what a transfer may have
// and lie within the buffers; the lists, walked in order, come to their end; of two steps that touch a byte,
// one of them to write it, one waits for the other, or for a step that does, and so on; what is read has been
// written before, and all outputs are written.
//
// Takes time by the number of steps squared.
std::optional<std::string> fault_of_order(const Schedule& schedule);

// The fault of what the outputs hold, for a schedule without a fault of its order; none: every
// element of an output is made of exactly the elements of the inputs that the request says, each once. Of a
// barrier: its steps that write an output come after a step of every other member.
//
// Elements are represented by random numbers of 64 bits, a combination by their sum; takes 8 bytes of memory
// for each byte of the buffers.
std::optional<std::string> fault_of_contents(const Schedule& schedule, const Request& request);

}  // namespace trnsim::collectives::test
