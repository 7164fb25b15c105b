// The coverage counts of verilated models, in builds that count (docs/regressions.md).
#pragma once

#include <verilated.h>

namespace trnsim::tlm {

#if VM_COVERAGE
// Adds the counts of the models in a context to the file MODEL.dat of the folder TRNSIM_RTL_COVERAGE_DIR.
// Must be called before the models are destroyed; they count for nothing afterwards.
void save_coverage(VerilatedContext& context, const char* model);
#else
inline void save_coverage(VerilatedContext&, const char*) {}
#endif

}  // namespace trnsim::tlm
