// Element-wise operations of 128 x 8192 fp32 elements through the whole core, against plain scalar C++.
#pragma once

#include "tools/bench/benchmark.hpp"

namespace trnsim::bench {

// Measure million elements a second: Vector tensor_tensor add, Scalar activation exp. The reference is the
// same operation on the host, one element after the other.
Figure measure_rtl_vector(const Environment& environment);
Figure measure_rtl_scalar(const Environment& environment);

}  // namespace trnsim::bench
