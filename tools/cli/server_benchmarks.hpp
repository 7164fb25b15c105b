// Benchmarks of servers whose cores all run kernels.
#pragma once

#include "tools/cli/benchmark.hpp"

namespace trnsim::cli {

// Million weights a second that 32 fast cores of a trn1.32xlarge bring up to date in a data-parallel step of AdamW, on two
// processes; the reference is one.
Figure measure_fast_server(const Environment& environment);

}  // namespace trnsim::cli
