#include "base/text/shell.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

namespace trnsim::text {
namespace {

// Returns the words that a shell makes of a command line, each with a sign after it.
std::string words_of(const std::string& line) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
        ::popen(("for word in " + line + "; do printf '%s|' \"$word\"; done").c_str(), "r"), ::pclose);
    std::string said;
    for (int c = 0; pipe && (c = std::fgetc(pipe.get())) != EOF;) said += static_cast<char>(c);
    return said;
}

TEST(Shell, AWordIsOneWordWithTheSameText) {
    for (const std::string text : {"",
                                   "plain",
                                   "/a/b_c-d.neff",
                                   "a b",
                                   "it's",
                                   "'",
                                   "$HOME `id` $(id)",
                                   "a\nb",
                                   "*",
                                   "~",
                                   "#x",
                                   "a;b",
                                   "a&b",
                                   "\"q\"",
                                   "back\\slash",
                                   "{a,b}",
                                   "!",
                                   "name=/a b.npy",
                                   "~/x",
                                   "\xc3\xa4"}) {
        EXPECT_EQ(words_of(shell_word(text)), text + "|") << shell_word(text);
        EXPECT_EQ(words_of(shell_word(text) + " next"), text + "|next|") << shell_word(text);
    }
}

TEST(Shell, WhatNeedsNoQuotesHasNone) {
    EXPECT_EQ(shell_word("/out/failures/000-k=1.neff"), "/out/failures/000-k=1.neff");
    EXPECT_EQ(shell_path("out"), "out");
}

TEST(Shell, APathIsNoOption) {
    EXPECT_EQ(shell_path("-x"), "./-x");
    EXPECT_EQ(words_of(shell_path("-a b")), "./-a b|");
}

}  // namespace
}  // namespace trnsim::text
