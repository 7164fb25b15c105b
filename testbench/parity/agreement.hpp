// Compares the outputs of an observed run with those of the interpreter, which follows the contract
// (docs/instruction-semantics.md) and shares no code with either core.
#pragma once

#include <cstdint>

#include "testbench/parity/observation.hpp"
#include "testbench/parity/subjects.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::parity {

// Returns the outputs that the interpreter computes. Throws functional::Error, for a race as well.
trial::Contents interpret(const Subject& subject);

// Counts the bytes of the outputs that differ from the interpreter's; every byte of a missing output differs.
// Throws functional::Error.
std::uint64_t unlike_interpreter(const Subject& subject, const Observation& observation);

}  // namespace trnsim::parity
