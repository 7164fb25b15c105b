// The exception that the interpreter throws.
#pragma once

#include <stdexcept>

namespace trnsim::functional {

// The program does something wrong or something the interpreter does not know. what() is one line with the
// place in the program.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace trnsim::functional
