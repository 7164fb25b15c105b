#include "base/files/files.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <set>

#include "base/files/roles.hpp"
#include "common/temporary_directory.hpp"

namespace trnsim::files {
namespace {

namespace fs = std::filesystem;
using test::message_of;

std::string text_of(const fs::path& path) {
    const auto bytes = read(path);
    return {bytes.begin(), bytes.end()};
}

std::string write_error(const fs::path& path) {
    return message_of<Error>([&] { write(path, "x"); });
}

TEST(Files, WrittenBytesComeBackAndNothingElseStays) {
    const test::TemporaryDirectory dir;
    write(dir / "a", "one");
    write(dir / "a", "second");
    EXPECT_EQ(text_of(dir / "a"), "second");
    EXPECT_EQ(dir.entries(), 1u);
}

TEST(Files, UncommittedFileIsRemovedAndTheOldOneKept) {
    const test::TemporaryDirectory dir;
    write(dir / "a", "old");
    {
        OutputFile file(dir / "a");
        file.stream() << "half";
        const ForeignFile foreign(dir / "a");
        write(foreign.temporary(), "half");
        write(foreign.temporary() + ".more", "what its writer leaves beside it");
        EXPECT_EQ(dir.entries(), 3u);
    }
    EXPECT_EQ(read(dir / "a").size(), 3u);
    EXPECT_EQ(dir.entries(), 1u);
}

TEST(Files, AForeignFileGetsItsNameUnlessItsWriterFailed) {
    const test::TemporaryDirectory dir;
    {
        ForeignFile foreign(dir / "w");
        write(foreign.temporary(), "whole");
        write(foreign.temporary() + ".more", "");
        foreign.commit();
    }
    EXPECT_EQ(text_of(dir / "w"), "whole");
    EXPECT_EQ(dir.entries(), 1u);
    ForeignFile foreign(dir / "w");
    write(foreign.temporary(), "half");
    EXPECT_EQ(message_of<Error>([&] { foreign.commit("no luck"); }),
              (dir / "w").string() + ": cannot write: no luck");
    EXPECT_EQ(text_of(dir / "w"), "whole");
}

TEST(Files, ErrorsNameTheFile) {
    const test::TemporaryDirectory dir;
    EXPECT_NE(message_of<Error>([&] { read(dir / "none"); }).find("none: no such file"), std::string::npos);
    EXPECT_NE(message_of<Error>([&] { read(dir / ""); }).find("not a regular file"), std::string::npos);
    EXPECT_NE(write_error(dir / "no/such/folder").find("cannot write: No such file"), std::string::npos);
    EXPECT_NE(write_error(dir / "").find("is a directory"), std::string::npos);
    EXPECT_NE(write_error(dir / "new/").find("is a directory"), std::string::npos);
    EXPECT_EQ(write_error(""), "'': expected the name of a file");
}

TEST(Files, CheckWritableLeavesNothing) {
    const test::TemporaryDirectory dir;
    check_writable(dir / "a");
    EXPECT_EQ(dir.entries(), 0u);
    EXPECT_THROW(check_writable(dir / "no/such"), Error);
}

TEST(Files, LinksStayAndWhatTheyLeadToIsReplaced) {
    const test::TemporaryDirectory dir;
    fs::create_directory(dir / "far");
    write(dir / "far/a", "old");
    fs::create_symlink("far/a", dir / "link");
    fs::create_symlink(dir / "link", dir / "link-to-link");
    write(dir / "link-to-link", "new");
    EXPECT_TRUE(fs::is_symlink(dir / "link"));
    EXPECT_TRUE(fs::is_symlink(dir / "link-to-link"));
    EXPECT_EQ(text_of(dir / "far/a"), "new");

    fs::create_symlink("far/b", dir / "dangling");
    write(dir / "dangling", "made");
    EXPECT_TRUE(fs::is_symlink(dir / "dangling"));
    EXPECT_EQ(text_of(dir / "far/b"), "made");
    ForeignFile foreign(dir / "dangling");
    write(foreign.temporary(), "again");
    foreign.commit();
    EXPECT_TRUE(fs::is_symlink(dir / "dangling"));
    EXPECT_EQ(text_of(dir / "far/b"), "again");

    fs::create_symlink("circle", dir / "circle");
    EXPECT_NE(write_error(dir / "circle").find("cannot write: too many links"), std::string::npos);
    fs::create_symlink("nowhere/c", dir / "lost");
    EXPECT_NE(write_error(dir / "lost").find("(a link to "), std::string::npos);
}

TEST(Files, WhatIsNoRegularFileIsRefusedAndStays) {
    const test::TemporaryDirectory dir;
    ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    const std::string name = (dir / "socket").string();
    ASSERT_LT(name.size(), sizeof address.sun_path);
    name.copy(address.sun_path, name.size());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(socket);
    fs::create_directory(dir / "folder");
    std::vector<std::pair<std::string, std::string>> cases{
        {"fifo", "a FIFO"}, {"socket", "a socket"}, {"folder", "a directory"}};
    // Makes a device like /dev/null; only root may do that.
    if (::mknod((dir / "device").c_str(), S_IFCHR | 0600, ::makedev(1, 3)) == 0)
        cases.emplace_back("device", "a device");
    for (const auto& [file, kind] : cases) {
        const std::string expected = ": cannot write: is " + kind + ", expected a regular file";
        const fs::path path = dir / file;
        EXPECT_EQ(write_error(path), path.string() + expected);
        EXPECT_EQ(message_of<Error>([&path] { check_writable(path); }), path.string() + expected);
        EXPECT_EQ(message_of<Error>([&path] { ForeignFile foreign(path); }), path.string() + expected);
        fs::create_symlink(file, dir / (file + "-link"));
        EXPECT_NE(write_error(dir / (file + "-link")).find(expected), std::string::npos);
        EXPECT_TRUE(fs::exists(dir / file) && !fs::is_regular_file(dir / file)) << "it is still there";
    }
}

// /dev/stdout leads to an open stream of any kind.
TEST(Files, OpenStreamsAreRefused) {
    const test::TemporaryDirectory dir;
    write(dir / "a", "old");
    std::FILE* open = std::fopen((dir / "a").c_str(), "r");
    const fs::path stream = "/proc/self/fd/" + std::to_string(::fileno(open));
    EXPECT_NE(write_error(stream).find("is an open stream"), std::string::npos);
    std::fclose(open);
    EXPECT_EQ(text_of(dir / "a"), "old");
}

TEST(Files, PermissionsAreThoseOfWhatIsReplaced) {
    const test::TemporaryDirectory dir;
    write(dir / "a", "old");
    fs::permissions(dir / "a", fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
    write(dir / "a", "new");
    EXPECT_EQ(fs::status(dir / "a").permissions(),
              fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
    const mode_t mask = ::umask(0022);
    ::umask(mask);
    write(dir / "new", "");
    EXPECT_EQ(static_cast<mode_t>(fs::status(dir / "new").permissions()), 0666 & ~mask);
    if (::geteuid() == 0) return;  // root may write everything
    fs::permissions(dir / "a", fs::perms::owner_read);
    EXPECT_NE(write_error(dir / "a").find("Permission denied"), std::string::npos);
}

TEST(Files, TemporaryNamesCannotBeGuessed) {
    const test::TemporaryDirectory dir;
    std::set<std::string> names;
    for (int i = 0; i < 20; ++i) {
        const OutputFile file(dir / "a");
        for (const fs::directory_entry& entry : fs::directory_iterator(dir / ""))
            names.insert(entry.path().filename());
    }
    EXPECT_EQ(names.size(), 20u);
    for (const std::string& name : names) {
        EXPECT_EQ(name.find(std::to_string(::getpid()) + "."), std::string::npos) << name;
        EXPECT_EQ(name.size(), std::string("a.0123456789abcdef.partial").size()) << name;
    }
    const std::string longest(255, 'n');
    write(dir / longest, "fits");
    EXPECT_EQ(text_of(dir / longest), "fits");
}

TEST(Files, LeftoversAreRemovedAndNothingElse) {
    const test::TemporaryDirectory dir;
    for (const char* name : {"a", "a.partial", "a.12.partial", "a.0123456789abcdef.partial.json"})
        write(dir / name, "");
    write(dir / "a.0123456789abcdef.partial", "");
    fs::create_directory(dir / "w.fst.0000000000000000.partial");
    write(dir / "w.fst.0000000000000000.partial/w.fst", "");
    remove_leftovers(dir / "");
    EXPECT_EQ(dir.entries(), 4u);
}

TEST(Files, ASignalRemovesTemporaries) {
    const test::TemporaryDirectory dir;
    write(dir / "done", "");
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGTERM, [](int) {
            remove_temporaries();
            ::_exit(7);
        });
        OutputFile first(dir / "a");
        { const OutputFile gone(dir / "b"); }
        const ForeignFile foreign(dir / "c");
        write(foreign.temporary(), "half");
        write(foreign.temporary() + ".more", "half");
        const OutputFile last(dir / "d");
        ::raise(SIGTERM);
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 7);
    EXPECT_EQ(dir.entries(), 1u);

    const OutputFile mine(dir / "a");
    if (::fork() == 0) {
        remove_temporaries();  // a child has no temporaries
        ::_exit(0);
    }
    ::wait(nullptr);
    EXPECT_EQ(dir.entries(), 2u);
}

// A limit on the size of a file has the same effect as a full disk.
TEST(Files, WhatDoesNotFitIsAnErrorAndLeavesNothing) {
    const test::TemporaryDirectory dir;
    write(dir / "a", "old");
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const auto ignored = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{4096, limit.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    for (const std::size_t size :
         {std::size_t{5000}, std::size_t{1} << 20}) {  // the first fails at the end, the other earlier
        const std::string text(size, 'x');
        EXPECT_EQ(message_of<Error>([&] { write(dir / "a", text); }),
                  (dir / "a").string() + ": cannot write: File too large");
    }
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, ignored);
    EXPECT_EQ(text_of(dir / "a"), "old");
    EXPECT_EQ(dir.entries(), 1u);
}

class RolesOfFiles : public testing::Test {
  protected:
    RolesOfFiles() {
        write(dir_ / "in", "");
        fs::create_directory(dir_ / "folder");
        roles_.add_input("--input a", dir_ / "in");
        roles_.add_output("--trace", dir_ / "new");
    }
    std::string add(const fs::path& path) {
        return message_of<Error>([&] { roles_.add_output("--stats", path); });
    }
    test::TemporaryDirectory dir_;
    Roles roles_;
};

TEST_F(RolesOfFiles, NoFileHasTwo) {
    fs::create_symlink("in", dir_ / "link");
    fs::create_symlink("new", dir_ / "dangling");
    fs::create_directory_symlink(dir_ / "", dir_ / "folder/here");
    fs::create_hard_link(dir_ / "in", dir_ / "hard");
    for (const char* name : {"in", "link", "folder/../in", "./in", "hard", "folder/here/in"})
        EXPECT_EQ(add(dir_ / name), "--stats " + (dir_ / name).string() + ": the same file as --input a");
    for (const char* name : {"new", "dangling", "folder/../new", "./new", "folder/here/new"})
        EXPECT_EQ(add(dir_ / name), "--stats " + (dir_ / name).string() + ": the same file as --trace");
    EXPECT_EQ(add(dir_ / "other"), "");
    EXPECT_EQ(add(dir_ / "folder/new"), "");
}

TEST_F(RolesOfFiles, OneMayBeReadTwice) {
    roles_.add_input("--input b", dir_ / "in");
    roles_.add_input("--input c", dir_ / "missing");
    EXPECT_EQ(add(dir_ / "missing"), "") << "its reader says that it is missing";
}

TEST(TemporaryDirectory, GoesWithEverythingInIt) {
    std::filesystem::path path;
    {
        const TemporaryDirectory directory;
        path = directory / ".";
        std::filesystem::create_directories(directory / "a/b");
        write(directory / "a/b/c", "text");
        EXPECT_EQ(directory.entries(), 1u);
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryDirectory, ThatCannotBeMadeIsAnError) {
    const TemporaryDirectory directory;
    const char* before = std::getenv("TMPDIR");
    const std::string restored = before == nullptr ? "" : before;
    ::setenv("TMPDIR", (directory / "missing").c_str(), 1);
    EXPECT_THROW(TemporaryDirectory(), std::runtime_error);
    before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", restored.c_str(), 1);
}

}  // namespace
}  // namespace trnsim::files
