// Benchmarks of the verilated core in the whole system.
#pragma once

#include "tools/bench/benchmark.hpp"

namespace trnsim::bench {

// Measures millions of multiply-accumulates a second of a bf16 1024 x 1024 x 1024 matmul on trn1, one thread;
// the reference is OpenBLAS sgemm of the same shape on one thread.
Figure measure_rtl_matmul(const Environment& environment);

// Measures the Tensor utilisation of the same kernel between its first and its last matmul, in per cent; the
// reference is the array's peak.
Figure measure_rtl_utilisation(const Environment& environment);

// Measures simulated Tensor cycles a second while the core waits for DMA transfers; the reference is the rate
// while the array works.
Figure measure_idle(const Environment& environment);

// Measures the simulated time of the published matmul in milliseconds, on the fast core unless the
// environment's machines say otherwise. Parts are the utilisation beside the published one, and the speed.
Figure measure_published(const Environment& environment);

}  // namespace trnsim::bench
