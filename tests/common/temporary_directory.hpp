// Helpers of tests that use files.
#pragma once

#include <string>

#include "base/files/temporary_directory.hpp"

namespace trnsim::test {

using files::TemporaryDirectory;

// Returns the message of the Error that `action` throws; empty if it throws none.
template <typename Error, typename Action>
std::string message_of(Action&& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace trnsim::test
