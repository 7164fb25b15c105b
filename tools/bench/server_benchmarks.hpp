// Benchmarks of servers whose cores all run kernels.
#pragma once

#include "tools/bench/benchmark.hpp"

namespace trnsim::bench {

// Million weights a second that 32 fast cores of a trn1.32xlarge bring up to date in a data-parallel step of AdamW, on two
// processes; the reference is one.
Figure measure_fast_server(const Environment& environment);

}  // namespace trnsim::bench
