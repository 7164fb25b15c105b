// Transfers that move what nothing has written.
#pragma once

#include <string>
#include <vector>

#include "compiler/neff/package.hpp"

namespace trnsim::runtime {

// Returns a line for each transfer of a sound package that moves, or combines with, a byte of SBUF, PSUM or a
// tensor that nothing can have written, whatever its programs do, e.g. "transfer 1 'store y' at kernel.py:31:
// moves sbuf[0+0x40], which nothing has written". The caller has written the inputs and the tensors that are
// updated. Nothing is known of SBUF and PSUM where an instruction writes at an address from a register, or where
// the package has instructions of the GpSimd cores. Machines count the words that engines read themselves
// (unwritten.hpp), not these.
std::vector<std::string> unwritten_moves(const neff::Package& package);

}  // namespace trnsim::runtime
