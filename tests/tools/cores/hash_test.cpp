#include "tools/cores/hash.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"

namespace trnsim::cores {
namespace {

namespace fs = std::filesystem;

// Puts the sources that an RTL hash covers into a folder.
class RtlHash : public testing::Test {
  protected:
    RtlHash() {
        for (const char* folder : {"rtl/core", "isa", "arch/activation"})
            fs::create_directories(path(folder));
        for (const char* file : {"rtl/core/a.sv", "rtl/core/b.sv", "isa/isa.yaml", "isa/generate.py",
                                 "arch/activation/tables.txt", "arch/activation/embed.py"}) {
            files::write(path(file), file);
        }
    }
    fs::path path(const char* name) const { return folder_ / name; }
    std::string hash() const { return rtl_hash(folder_ / "", config_); }

    test::TemporaryDirectory folder_;
    config::Config config_;
};

TEST_F(RtlHash, ChangesWithEverySourceAndParameter) {
    const std::string before = hash();
    EXPECT_EQ(before.size(), 64u);
    EXPECT_EQ(hash(), before);
    files::write(path("rtl/core/a.sv"), "other");
    const std::string source = hash();
    EXPECT_NE(source, before);
    files::write(path("isa/isa.yaml"), "other");
    const std::string definition = hash();
    EXPECT_NE(definition, source);
    config_.core.array.rows = 8;
    EXPECT_NE(hash(), definition);
}

TEST_F(RtlHash, DoesNotChangeWithTheRest) {
    const std::string before = hash();
    files::write(path("rtl/core/notes.md"), "text");
    config_.hbm.bandwidth = 1;
    config_.name = "other";
    EXPECT_EQ(hash(), before);
}

// A read-only tree is built from another folder with links to the tree's folders.
TEST_F(RtlHash, IsTheSameThroughLinks) {
    const test::TemporaryDirectory links;
    for (const char* folder : {"arch", "isa", "rtl"}) fs::create_symlink(path(folder), links / folder);
    EXPECT_EQ(rtl_hash(links / "", config_), hash());
}

TEST_F(RtlHash, NamesBelongToIt) {
    const std::string before = hash();
    fs::rename(path("rtl/core/b.sv"), path("rtl/core/c.sv"));
    EXPECT_NE(hash(), before);
}

TEST(Hash, IsSha256) {
    EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_THROW(rtl_hash("/nowhere", {}), std::runtime_error);
}

}  // namespace
}  // namespace trnsim::cores
