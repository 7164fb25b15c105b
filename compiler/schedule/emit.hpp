// Steps with a known order and places, as calls of the eager builder: it derives semaphores from the places.
//
// The innermost of nested loops becomes a loop of the hardware, those around it are unrolled; an innermost
// one is unrolled, too, if the semaphores for loops do not suffice.
#pragma once

#include "compiler/builder/kernel_builder.hpp"
#include "compiler/schedule/lives.hpp"

namespace trnsim::schedule {

void emit(builder::KernelBuilder& kernel, const std::vector<builder::Step>& steps, const Lives& lives);

}  // namespace trnsim::schedule
