#pragma once

#include <stdexcept>

namespace trnsim::files {

// what() is one line: the file and the reason that the system gives.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace trnsim::files
