#pragma once

#include <stdexcept>

namespace trnsim::collectives {

// what() is one line: where, what was found, what was expected.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace trnsim::collectives
