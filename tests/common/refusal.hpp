// How the builder refuses a call.
#pragma once

#include <string>

#include "compiler/builder/error.hpp"

namespace trnsim::test {

// Returns the text of the builder's error without the line of the call, which it must have; empty if the call
// is not refused.
template <typename Call>
std::string refusal_of(Call&& call) {
    try {
        call();
    } catch (const builder::CallError& error) {
        return error.reason;
    } catch (const builder::Error& error) {
        return std::string("without a line: ") + error.what();
    }
    return "";
}

}  // namespace trnsim::test
