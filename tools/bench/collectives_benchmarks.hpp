// Benchmark of collectives on a simulated server.
#pragma once

#include "tools/bench/benchmark.hpp"

namespace trnsim::bench {

// Runs a bf16 all-reduce of 4 MiB by the 32 ranks of trn1.32xlarge; measures GB of all ranks' inputs
// simulated in a second of wall time. The reference executes the same schedule on memories of the host.
Figure measure_collectives(const Environment& environment);

}  // namespace trnsim::bench
