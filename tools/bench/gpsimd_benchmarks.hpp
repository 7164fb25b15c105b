// Benchmarks of the GpSimd cores in the whole system.
#pragma once

#include "tools/bench/benchmark.hpp"

namespace trnsim::bench {

// fp32 additions by the microcode on trn1, its eight cores at work: instructions of theirs that retire in a
// second, in millions, and cycles that they have together, in millions a second. The reference is one core
// alone.
Figure measure_rtl_gpsimd(const Environment& environment);
Figure measure_rtl_gpsimd_cycles(const Environment& environment);

// The same instructions a second on the fast core, all cores at work; the reference is the RTL. Beside it what the instruction-set
// simulator alone does.
Figure measure_fast_gpsimd(const Environment& environment);

// The instruction-set simulator: instructions a second, in millions, of one core at these additions, beside one core alone in RTL; and
// of a loop of scalar code, beside the same loop on the host.
Figure measure_gpsimd_iss(const Environment& environment);
Figure measure_gpsimd_iss_scalar(const Environment& environment);

}  // namespace trnsim::bench
