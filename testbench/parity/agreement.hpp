// What the outputs of an observed run are compared with besides another model's: the interpreter, which follows the contract
// (docs/instruction-semantics.md) and shares no code with either core.
#pragma once

#include <cstdint>

#include "testbench/parity/observation.hpp"
#include "testbench/parity/subjects.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::parity {

// The outputs as the interpreter has them. Throws functional::Error, for a race as well.
trial::Contents interpret(const Subject& subject);

// Bytes of the outputs that are not the interpreter's; a missing one differs. Throws functional::Error.
std::uint64_t unlike_interpreter(const Subject& subject, const Observation& observation);

}  // namespace trnsim::parity
