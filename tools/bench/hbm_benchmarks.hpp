// Benchmarks of the models of HBM on their own.
#pragma once

#include "tools/bench/benchmark.hpp"

namespace trnsim::bench {

// Streams reads of this many bytes through a stack with banks of trn1; measures GB simulated a second of wall
// time. The reference is the model with latency and bandwidth alone.
Figure measure_hbm_512(const Environment& environment);
Figure measure_hbm_4096(const Environment& environment);
// The same with 64 bytes, in million requests a second.
Figure measure_hbm_64(const Environment& environment);
// The same with random reads of 64 bytes.
Figure measure_hbm_gather(const Environment& environment);

}  // namespace trnsim::bench
