// What goes wrong with the files of the FST writer, which does not look whether anything it writes arrives. Its calls of the system
// come by here: fst.cpp has it so compiled, and core libraries, which have a writer of their own, are so linked (cmake/Core.cmake).
#pragma once

#include <string>

namespace trnsim::tlm {

void forget_write_failure();
bool has_write_failed();  // since then
// Why the first that failed did; empty: none did.
std::string write_failure();

}  // namespace trnsim::tlm
