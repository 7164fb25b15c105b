// Buffers of PSUM that come back to SBUF: it has more room, so loads run further ahead.
#pragma once

#include "arch/target/target.hpp"
#include "compiler/builder/step.hpp"

namespace trnsim::schedule {

// Returns whether the step does the same with operands in SBUF in place of PSUM. Instructions of Vector and
// Scalar do; the Tensor engine writes to PSUM only.
bool takes_sbuf(const builder::Step& step);

// Makes an access to PSUM one to the same partitions and bytes of a buffer in SBUF.
void relocate(builder::Step& step, std::size_t access, const target::Core& target);

}  // namespace trnsim::schedule
