// Benchmarks of servers with kernels on all cores.
#pragma once

#include "tools/bench/benchmark.hpp"

namespace trnsim::bench {

// Measures million weights a second that 32 fast cores of a trn1.32xlarge update in a data-parallel step of
// AdamW, on two processes; the reference is one process.
Figure measure_fast_server(const Environment& environment);

}  // namespace trnsim::bench
