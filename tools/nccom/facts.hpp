// What decides the results of a test, for processes on other hosts that have read their own files.
#pragma once

#include "model/processes/agreement.hpp"
#include "tools/nccom/test.hpp"

namespace trnsim::nccom {

// The program and its command line, and what the files say that are named there.
tlm::processes::Facts facts_of(const Test& test);

}  // namespace trnsim::nccom
