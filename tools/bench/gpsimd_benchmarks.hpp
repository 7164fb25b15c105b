// Benchmarks of the GpSimd cores in the whole system.
#pragma once

#include "tools/bench/benchmark.hpp"

namespace trnsim::bench {

// Runs fp32 additions by the microcode on trn1 with all eight cores at work; measures millions of
// instructions that the cores retire in a second, and millions of core cycles, summed over the cores, in a
// second. The reference is one core alone.
Figure measure_rtl_gpsimd(const Environment& environment);
Figure measure_rtl_gpsimd_cycles(const Environment& environment);

// Measures the same instructions a second on the fast core with all cores at work; the reference is the RTL.
// A further part is the instruction-set simulator alone.
Figure measure_fast_gpsimd(const Environment& environment);

// Measures the instruction-set simulator: millions of instructions a second of one core at these additions,
// beside one core alone in RTL; and of a loop of scalar code, beside the same loop on the host.
Figure measure_gpsimd_iss(const Environment& environment);
Figure measure_gpsimd_iss_scalar(const Environment& environment);

}  // namespace trnsim::bench
