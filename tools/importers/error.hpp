// Errors of importers.
#pragma once

#include <stdexcept>

namespace trnsim::importers {

// what() is one line: where in which file, what was found, what was expected.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace trnsim::importers
