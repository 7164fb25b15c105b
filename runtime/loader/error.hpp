// A kernel, a collective, a configuration, a tensor or an input that cannot be used together.
#pragma once

#include <stdexcept>
#include <string>

#include "base/status/status.hpp"

namespace trnsim::loader {

// what() is one line: the value that does not fit and the expected one. A failure during an execution is no
// Error but an outcome (runtime/session/result.hpp).
struct Error : std::runtime_error {
    explicit Error(const std::string& what, Status code = Status::Invalid)
        : std::runtime_error(what), status(code) {}

    Status status;
};

}  // namespace trnsim::loader
