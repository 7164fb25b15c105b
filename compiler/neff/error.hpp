// The mistake in a kernel file or a compiled kernel.
#pragma once

#include <stdexcept>

namespace trnsim::neff {

// what() is one line: where (file, member and field, or part of the kernel), what was found and what was
// expected.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace trnsim::neff
