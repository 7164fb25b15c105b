#include "lib/base/text/printable.hpp"

#include <gtest/gtest.h>

namespace trnsim::text {
namespace {

TEST(Printable, ControlCharactersAreEscapedAndNothingElse) {
    EXPECT_EQ(printable(""), "");
    EXPECT_EQ(printable("key 'x', \xc3\xa4 \\ ~"), "key 'x', \xc3\xa4 \\ ~");
    EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
    EXPECT_EQ(printable(std::string("\0\x1b\x1f\x7f", 4)), "\\x00\\x1b\\x1f\\x7f");
}

}  // namespace
}  // namespace trnsim::text
