// The reference of the benchmarks of matrix products.
#pragma once

namespace trnsim::bench {

// Millions of multiply-accumulates a second of OpenBLAS sgemm, one thread, of square matrices; the best of `trials`. Loads the library,
// which starts its threads when it is: the process must not fork after it. Throws std::runtime_error without the library.
double sgemm_rate(int size, int trials);

}  // namespace trnsim::bench
