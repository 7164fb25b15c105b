// The Scalar engine's activation functions on the host, to the bit: table lookup and fp32 multiply-adds in
// the order of the hardware.
#pragma once

#include "isa/isa_tables.hpp"

namespace trnsim::activation {

// Returns f(z), fp32 with subnormals flushed in and out, NaN canonical. alpha is the slope of prelu. Throws
// std::invalid_argument for a code that is no function.
float activate(isa::Activation function, float z, float alpha);

// Returns whether the function can be used while `set` is loaded: a function without a table always can.
bool in_set(isa::Activation function, isa::ActivationSet set);

// Returns whether the function needs a table at all.
bool has_table(isa::Activation function);

}  // namespace trnsim::activation
