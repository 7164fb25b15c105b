// Benchmarks of the fast core beside the verilated one in the whole system.
#pragma once

#include "tools/bench/benchmark.hpp"

namespace trnsim::bench {

// Measures the worst error of a completion cycle over the kernel library with small shapes and random
// programs, in percent. Parts are mean and worst error of each, and how many times as long the RTL takes.
Figure measure_parity_timing(const Environment& environment);

}  // namespace trnsim::bench
