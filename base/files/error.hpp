#pragma once

#include <stdexcept>

namespace trnsim::files {

// what() is one line: the file and what the system says is wrong with it.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace trnsim::files
