// Every reason for which a core refuses an instruction, with an instruction for it, and legal instructions that
// come near: the list against which RTL, fast core, interpreter and builder are held.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/builder/kernel_builder.hpp"
#include "isa/instruction.hpp"

namespace trnsim::refusals {

using Call = std::function<void(builder::KernelBuilder&)>;

struct Case {
    std::string name;  // what the instruction breaks, or what is legal about it
    isa::Engine engine = isa::Engine::Vector;
    std::vector<isa::Instruction> before;  // legal instructions that prepare the engine
    isa::Instruction instruction;
    isa::Error error = isa::Error::None;  // the core's error_code; none: the instruction is legal
    // The calls of the builder that would make the instructions; empty: no call can.
    Call call{};
    // The loader fills in the field at fault: neither builder nor interpreter has it.
    bool by_loader = false;
};

// Returns the cases of a core of at least 16 partitions, as many rows and columns, and 64 KiB of SBUF and 2 KiB
// of PSUM in a partition.
std::vector<Case> cases(const target::Core& target);

}  // namespace trnsim::refusals
