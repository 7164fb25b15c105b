// The microcode that comes with trnsim.
#pragma once

#include "compiler/neff/package.hpp"

namespace trnsim::builder {

// Returns its image for the target's cores. Throws Error when there is none.
neff::GpsimdImage microcode_image(const target::Core& target);

}  // namespace trnsim::builder
