// The facts that decide the results of a test, to compare processes on other hosts, which have read their own
// files.
#pragma once

#include "model/processes/agreement.hpp"
#include "tools/nccom/test.hpp"

namespace trnsim::nccom {

// Returns the program and its command line, and the contents of the files named there.
tlm::processes::Facts facts_of(const Test& test);

}  // namespace trnsim::nccom
