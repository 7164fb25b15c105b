// Steps whose order and places are known, as calls of the eager builder: it derives semaphores from the places.
//
// The innermost of nested loops becomes the hardware's, those around it unroll; so does an innermost one for which the
// semaphores that loops may have do not suffice.
#pragma once

#include "compiler/builder/kernel_builder.hpp"
#include "compiler/schedule/lives.hpp"

namespace trnsim::schedule {

void emit(builder::KernelBuilder& kernel, const std::vector<builder::Step>& steps, const Lives& lives);

}  // namespace trnsim::schedule
