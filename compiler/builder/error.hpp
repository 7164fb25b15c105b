// The error of the builder when a kernel asks for something that the hardware would refuse.
#pragma once

#include <string>

#include "arch/target/error.hpp"
#include "compiler/builder/where.hpp"

namespace trnsim::builder {

using target::Error;

// An Error of a call, which begins with the line of the kernel's author: "kernel.cpp:31: memset: ...".
struct CallError : Error {
    CallError(const std::string& reason, const Where& where);
    std::string reason;  // text without the line
};

// Throws the Error that is being handled as one of the call at `where`; the outermost call is the author's.
// A place without a file adds nothing.
[[noreturn]] void throw_at(const Where& where);

}  // namespace trnsim::builder
