// The microcode that comes with trnsim.
#pragma once

#include "lib/neff/package.hpp"

namespace trnsim::builder {

// Throws Error when it is not there.
neff::GpsimdImage microcode_image();

}  // namespace trnsim::builder
