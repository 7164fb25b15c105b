// What goes wrong with the files of Verilator's FST writer. The writer does not look whether anything it
// writes arrives: core libraries are linked so that its calls come by here (cmake/Core.cmake).
#pragma once

#include <string>

namespace trnsim::tlm {

void forget_write_failure();
bool has_write_failed();  // since then
// Why the first that failed did; empty: none did.
std::string write_failure();

}  // namespace trnsim::tlm
