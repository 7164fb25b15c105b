// The verifier: what the rest of the compiler may take for granted of a module.
#pragma once

#include "compiler/hlo/module.hpp"

namespace trnsim::hlo {

// Throws Error for the first mistake: "%dot.3 (model.py:105): what is wrong". It refuses what is not supported by name:
// complex numbers, dynamic shapes, asynchronous operations, transfers to the host, unspecified random numbers.
//
// It holds: references point back; names and ids are unique; each parameter number appears once; shapes keep the limits
// and are those that infer_shape() computes; called computations fit; aliases and donors name results and parameters that
// exist, each at most once, and aliased ones have the same shape.
void verify(const Module& module);

}  // namespace trnsim::hlo
