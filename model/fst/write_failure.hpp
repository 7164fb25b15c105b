// Failures of the FST writer, which does not check whether its writes succeed. Its system calls go through
// this file: fst.cpp is compiled so, and core libraries, which have their own writer, are linked so
// (cmake/Core.cmake).
#pragma once

#include <string>

namespace trnsim::tlm {

void forget_write_failure();
bool has_write_failed();  // since forget_write_failure()
// Returns why the first failing call failed; empty: none did.
std::string write_failure();

}  // namespace trnsim::tlm
