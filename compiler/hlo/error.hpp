// The mistake in a module of HLO.
#pragma once

#include <stdexcept>

namespace trnsim::hlo {

// what() is one line: where (file, or instruction and the line of the framework's program), what was found and
// what was expected.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace trnsim::hlo
