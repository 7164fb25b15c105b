// What the builder throws when a kernel asks for something the hardware would refuse.
#pragma once

#include <stdexcept>

namespace trnsim::builder {

// what() is one line that names the instruction or the allocation and the broken rule with its numbers.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace trnsim::builder
