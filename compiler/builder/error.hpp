// The error of the builder when a kernel asks for something that the hardware would refuse.
#pragma once

#include "arch/target/error.hpp"

namespace trnsim::builder {

using target::Error;

}  // namespace trnsim::builder
