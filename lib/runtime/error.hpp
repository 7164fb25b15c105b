// A kernel, a configuration or an input that cannot be run together.
#pragma once

#include <stdexcept>

namespace trnsim::runtime {

// what() is one line: what does not fit and what was expected. What goes wrong during a simulation is no
// Error but an outcome (runner.hpp).
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace trnsim::runtime
