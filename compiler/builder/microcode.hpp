// The microcode that comes with trnsim.
#pragma once

#include "compiler/neff/package.hpp"

namespace trnsim::builder {

// Its image for the target's cores. Throws Error when it is not there.
neff::GpsimdImage microcode_image(const target::Core& target);

}  // namespace trnsim::builder
