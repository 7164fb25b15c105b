#include "testbench/files/files.hpp"

#include <gtest/gtest.h>

#include "testbench/temporary_directory.hpp"

namespace trnsim::files {
namespace {

using test::message_of;

TEST(Files, WrittenBytesComeBackAndNothingElseStays) {
    const test::TemporaryDirectory dir;
    write(dir / "a", "one");
    write(dir / "a", "second");
    const auto bytes = read(dir / "a");
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "second");
    EXPECT_EQ(dir.entries(), 1u);
}

TEST(Files, UncommittedFileIsRemovedAndTheOldOneKept) {
    const test::TemporaryDirectory dir;
    write(dir / "a", "old");
    {
        OutputFile file(dir / "a");
        file.stream() << "half";
    }
    EXPECT_EQ(read(dir / "a").size(), 3u);
    EXPECT_EQ(dir.entries(), 1u);
}

TEST(Files, ErrorsNameTheFile) {
    const test::TemporaryDirectory dir;
    EXPECT_NE(message_of<Error>([&] { read(dir / "none"); }).find("none: no such file"), std::string::npos);
    EXPECT_NE(message_of<Error>([&] { read(dir / ""); }).find("not a regular file"), std::string::npos);
    EXPECT_NE(message_of<Error>([&] { write(dir / "no/such/folder", "x"); }).find("cannot write"),
              std::string::npos);
    EXPECT_NE(message_of<Error>([&] { write(dir / "", "x"); }).find("is a directory"), std::string::npos);
}

TEST(Files, CheckWritableLeavesNothing) {
    const test::TemporaryDirectory dir;
    check_writable(dir / "a");
    EXPECT_EQ(dir.entries(), 0u);
    EXPECT_THROW(check_writable(dir / "no/such"), Error);
}

}  // namespace
}  // namespace trnsim::files
