// Benchmark of collectives on a simulated server.
#pragma once

#include "tools/bench/benchmark.hpp"

namespace trnsim::bench {

// A bf16 all-reduce of 4 MiB by the 32 ranks of trn1.32xlarge: GB of all ranks' inputs that are simulated in a second of wall time.
// The reference carries the same schedule out on memories of the host.
Figure measure_collectives(const Environment& environment);

}  // namespace trnsim::bench
