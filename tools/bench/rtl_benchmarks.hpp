// Benchmarks of the verilated core in the whole system.
#pragma once

#include "tools/bench/benchmark.hpp"

namespace trnsim::bench {

// Multiply-accumulates a second of a bf16 1024 x 1024 x 1024 matmul on trn1, one thread; the reference is
// OpenBLAS sgemm of the same shape on one thread. Millions a second.
Figure measure_rtl_matmul(const Environment& environment);

// Tensor utilisation of the same kernel between its first and its last matmul; the reference is the array's
// peak. Per cent.
Figure measure_rtl_utilisation(const Environment& environment);

// Simulated Tensor cycles a second while the core waits for DMA transfers; the reference is the rate while
// the array works.
Figure measure_idle(const Environment& environment);

// Milliseconds of simulated time that the published matmul takes, on the fast core unless the environment's machines say otherwise;
// parts: utilisation beside the published one, speed.
Figure measure_published(const Environment& environment);

}  // namespace trnsim::bench
