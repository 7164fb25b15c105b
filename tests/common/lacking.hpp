// A test that lacks a program or a package is skipped, or fails where TRNSIM_TEST_STRICT is 1.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace trnsim::test {

// True where a test that lacks something fails instead of being skipped.
inline bool is_strict() {
    const char* text = std::getenv("TRNSIM_TEST_STRICT");
    return text != nullptr && std::string_view(text) == "1";
}

}  // namespace trnsim::test

// Ends a test that lacks `what`.
#define TRNSIM_END_WITHOUT(what)                                             \
    do {                                                                     \
        if (::trnsim::test::is_strict()) FAIL() << "there is no " << (what); \
        GTEST_SKIP() << "there is no " << (what);                            \
    } while (false)
