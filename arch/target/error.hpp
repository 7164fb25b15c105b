// The error of a kernel that asks for something that its target refuses.
#pragma once

#include <stdexcept>

namespace trnsim::target {

// what() is one line that names the instruction, the allocation or the value and the broken rule with its
// numbers.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace trnsim::target
