// Benchmarks of the DMA engines without the core they belong to.
#pragma once

#include "tools/bench/benchmark.hpp"

namespace trnsim::bench {

// Copies with the 16 engines of a core from one stack of HBM to the other, in packets of 1 MiB; measures GB
// simulated a second of wall time. The reference is a copy in the host's memory.
Figure measure_dma_stream(const Environment& environment);
// The same with fp32 elements cast to bf16; counts GB read. The reference converts as many on the host.
Figure measure_dma_cast(const Environment& environment);

}  // namespace trnsim::bench
