// The reference of the benchmarks of matrix products.
#pragma once

namespace trnsim::bench {

// Returns millions of multiply-accumulates a second of OpenBLAS sgemm, one thread, with square matrices; the
// best of `trials`. Loads the library, which then starts its threads: the process must not fork after the
// call. Throws std::runtime_error without the library.
double sgemm_rate(int size, int trials);

}  // namespace trnsim::bench
