#include "base/text/printable.hpp"

#include <gtest/gtest.h>

namespace trnsim::text {
namespace {

TEST(Printable, ControlCharactersAreEscapedAndNothingElse) {
    EXPECT_EQ(printable(""), "");
    EXPECT_EQ(printable("key 'x', \xc3\xa4 \\ ~"), "key 'x', \xc3\xa4 \\ ~");
    EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
    EXPECT_EQ(printable(std::string("\0\x1b\x1f\x7f", 4)), "\\x00\\x1b\\x1f\\x7f");
}

TEST(Printable, ShowsBytesThatAreNoUtf8) {
    EXPECT_EQ(printable("\xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf"),
              "\xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf");
    EXPECT_EQ(printable("\xa9\xc3\xa4\xff"), "\\xa9\xc3\xa4\\xff");
    EXPECT_EQ(printable("\xc3"), "\\xc3");             // a sequence that is cut short
    EXPECT_EQ(printable("\xe2\x82|"), "\\xe2\\x82|");  // a sequence that is cut short
    EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80");    // a longer encoding than needed
    EXPECT_EQ(printable("\xe0\x9f\xbf"), "\\xe0\\x9f\\xbf");
    EXPECT_EQ(printable("\xf0\x8f\xbf\xbf"), "\\xf0\\x8f\\xbf\\xbf");
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a surrogate pair
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last code point
}

// The beginning says where, the end what was expected; the quote between is cut.
TEST(Shortened, KeepsBothEndsOfALongText) {
    EXPECT_EQ(shortened(std::string(2000, 'x')), std::string(2000, 'x'));
    std::string quoted;
    quoted.resize(20'000'000, 'x');
    const std::string long_text = "file:1:2: found '" + quoted + "', expected 7";
    const std::string text = shortened(long_text);
    EXPECT_LT(text.size(), 2000u);
    EXPECT_TRUE(text.starts_with("file:1:2: found 'xxx"));
    EXPECT_TRUE(text.ends_with("xxx', expected 7"));
    EXPECT_NE(text.find(" ... (19998230 bytes left out) ... "), std::string::npos) << text;
    // Characters of three bytes stay whole, wherever the cuts would fall.
    for (const char* before : {"", "a", "ab"}) {
        std::string euros = before;
        for (int i = 0; i < 1000; ++i) euros += "\xe2\x82\xac";
        EXPECT_EQ(message(euros), shortened(euros)) << "nothing to escape";
    }
}

}  // namespace
}  // namespace trnsim::text
