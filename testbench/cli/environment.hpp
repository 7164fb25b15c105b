// What a command may use of the world outside.
#pragma once

#include <ostream>

#include "testbench/runtime/machine_factory.hpp"

namespace trnsim::cli {

struct Environment {
    std::ostream& out;      // results
    std::ostream& err;      // errors, one line each, and progress
    bool terminal = false;  // `err` is a terminal: progress is shown
    runtime::MachineFactory machine;
};

}  // namespace trnsim::cli
