// Benchmarks of the fast core's functional half: instructions without the system around them.
#pragma once

#include "tools/bench/benchmark.hpp"

namespace trnsim::bench {

// Millions of multiply-accumulates a second.
Figure measure_fast_matmul(const Environment& environment);
// Millions of elements a second.
Figure measure_fast_vector(const Environment& environment);
Figure measure_fast_scalar(const Environment& environment);

}  // namespace trnsim::bench
