// What random instructions are to have in them.
#pragma once

#include <functional>

#include "isa/instruction.hpp"

namespace trnsim::random_programs {

// Told of every instruction that may come next; whether it adds what none before it had. Those it says so of
// are used.
using Aim = std::function<bool(isa::Engine, const isa::Instruction&)>;

}  // namespace trnsim::random_programs
