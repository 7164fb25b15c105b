// Finds the first instruction that the simulated core executes differently from the interpreter.
//
// The interpreter's order of instructions is one that the kernel allows, so every beginning of it is a
// program by itself. Such beginnings run on the core and in the interpreter, and the contents that they leave
// in SBUF, PSUM and the tensors are compared. Bisection finds a beginning that is right and becomes wrong
// with its next instruction.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/session/machine.hpp"
#include "testbench/trial/step.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::trial {

// Returns the steps in the interpreter's order, with loops unrolled. Throws functional::Error.
std::vector<Step> steps_of(const Trial& trial, const functional::RoundingControl& rounding);

// Returns a trial of the first steps only: programs without branches that end after them, with every tensor
// an output.
Trial beginning_of(const Trial& trial, std::span<const Step> steps);

struct WrongStep {
    Step step;
    std::size_t number = 0;  // index among the steps of its engine, from 0
    // Its first wrong element, by address in the core window, and the partition of that; none if it is in HBM.
    std::optional<std::uint32_t> address{}, lane{};
    std::string text;  // lines: the instruction and its first wrong element
};

// Returns nothing if all beginnings of the program are right and only the whole shows the error, if `go_on`
// has ended the search, and for programs that read memory in loops, as their steps depend on time. Executes
// on `machine` many times. Throws runtime::Error, functional::Error.
std::optional<WrongStep> find_wrong_step(const Trial& trial, runtime::Machine& machine,
                                         const runtime::Rounding& rounding,
                                         const std::function<bool()>& go_on);

}  // namespace trnsim::trial
