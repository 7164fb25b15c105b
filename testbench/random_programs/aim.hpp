// The goal that random instructions are to reach.
#pragma once

#include <functional>

#include "isa/instruction.hpp"

namespace trnsim::random_programs {

// Called for every instruction that may come next. Returns whether it adds something that no instruction
// before it had; only then is it used.
using Aim = std::function<bool(isa::Engine, const isa::Instruction&)>;

}  // namespace trnsim::random_programs
