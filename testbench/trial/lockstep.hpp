// The first instruction that the simulated core executes otherwise than the interpreter.
//
// The interpreter's order of instructions is one that the kernel allows, so every beginning of it is a
// program by itself. Such beginnings run on the core and in the interpreter, and what they leave in SBUF,
// PSUM and the tensors is compared; bisection finds one that is right and whose next instruction makes it
// wrong.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/session/machine.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::trial {

// An instruction executed.
struct Step {
    isa::Engine engine = isa::Engine::Sync;
    std::size_t pc = 0;
};

// In the interpreter's order, loops unrolled. Throws functional::Error.
std::vector<Step> steps_of(const Trial& trial, const functional::RoundingControl& rounding);

// The trial of some steps from the first on: programs without branches that end after them, every tensor an
// output.
Trial beginning_of(const Trial& trial, std::span<const Step> steps);

struct WrongStep {
    Step step;
    std::size_t number = 0;               // of the steps of its engine, from 0
    std::optional<std::uint32_t> lane{};  // partition of its first wrong element; none: that is in HBM
    std::string text;                     // lines: the instruction and its first wrong element
};

// Nothing when what the core does in beginnings of the program is right, so only the whole shows it, when
// `go_on` has ended the search, and for programs that look at memory in loops, whose steps depend on time.
// `machine` is used for many executions. Throws runtime::Error, functional::Error.
std::optional<WrongStep> find_wrong_step(const Trial& trial, runtime::Machine& machine,
                                         const runtime::Rounding& rounding,
                                         const std::function<bool()>& go_on);

}  // namespace trnsim::trial
