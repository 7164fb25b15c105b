// Benchmarks of the DMA engines without the core they belong to.
#pragma once

#include "tools/bench/benchmark.hpp"

namespace trnsim::bench {

// The 16 engines of a core copy from one stack of HBM to the other, in packets of 1 MiB: GB simulated a
// second of wall time. The reference is a copy in the host's memory.
Figure measure_dma_stream(const Environment& environment);
// The same of fp32 elements cast to bf16, GB read. The reference is the conversion of as many on the host.
Figure measure_dma_cast(const Environment& environment);

}  // namespace trnsim::bench
