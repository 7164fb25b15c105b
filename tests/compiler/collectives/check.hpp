// Proves that a schedule is right in every order that its waits allow. This code does not know how schedules
// are made.
#pragma once

#include <optional>
#include <string>

#include "compiler/collectives/request.hpp"
#include "compiler/collectives/schedule.hpp"

namespace trnsim::collectives::test {

// Returns the fault of a schedule, in one line, or nothing. In a schedule without fault each step is in one
// list, a transfer may have its operands, and these lie within the buffers; walking the lists in order
// reaches their end; of two steps that touch a byte, at least one of which writes it, one waits for the
// other, directly or through further steps; bytes are written before they are read, and all outputs are
// written.
//
// Its time grows with the square of the number of steps.
std::optional<std::string> fault_of_order(const Schedule& schedule);

// Returns the fault in the contents of the outputs, or nothing; the order of the schedule must have no fault.
// Without fault, every element of an output is made of exactly the elements of the inputs that the request
// says, each once. In a barrier, the steps that write an output come after a step of every other member.
//
// Elements are represented by random numbers of 64 bits, a combination by their sum; this takes 8 bytes of
// memory for each byte of the buffers.
std::optional<std::string> fault_of_contents(const Schedule& schedule, const Request& request);

}  // namespace trnsim::collectives::test
