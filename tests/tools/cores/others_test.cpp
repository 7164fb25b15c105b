// Tests which cores are found beside the one in use.
#include "tools/cores/others.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"
#include "tools/cores/hash.hpp"

namespace trnsim::cores {
namespace {

namespace fs = std::filesystem;

class OtherCores : public testing::Test {
  protected:
    OtherCores() {
        ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
        ::setenv("TRNSIM_SOURCE", (folder_ / "nothing").c_str(), 1);
        small_.core.partitions = 16;
        large_.core.partitions = 128;
    }
    ~OtherCores() override {
        ::unsetenv("XDG_CACHE_HOME");
        ::unsetenv("TRNSIM_SOURCE");
    }

    // Puts what the cache keeps of a core into it; returns its folder.
    fs::path cached(const std::string& key, const std::string& rtl, const config::Config& config) const {
        const fs::path folder = folder_ / ("cache/trnsim/cores/" + key);
        fs::create_directories(folder);
        files::write(folder / "origin.txt",
                     rtl + "\n" + hash_of(config::rtl_parameters(config)) + "\n/src/" + rtl + "\n");
        return folder;
    }

    test::TemporaryDirectory folder_;
    config::Config small_, large_;
};

TEST_F(OtherCores, HaveTheParametersAndOtherRtl) {
    EXPECT_TRUE(other_cores(small_, "a").empty()) << "there is no cache";
    cached("1", "a", small_);
    const fs::path other = cached("2", "b", small_);
    cached("3", "c", large_);
    fs::create_directories(folder_ / "cache/trnsim/cores/4");  // made by an earlier version
    const auto others = other_cores(small_, "a");
    ASSERT_EQ(others.size(), 1u);
    EXPECT_EQ(others[0].rtl_hash, "b");
    EXPECT_EQ(others[0].folder, other);
    EXPECT_EQ(others[0].source, "/src/b");
    EXPECT_TRUE(other_cores(large_, "c").empty());
    EXPECT_EQ(other_cores(small_, "x").size(), 2u);
}

TEST_F(OtherCores, AreNamedWithTheWayToTakeThem) {
    const std::vector<OtherCore> others{{"bbbbbbbbbbbbbbbbbbbb", "/cache/2", "/src"}, {"cc", "", "/new"}};
    EXPECT_EQ(describe("aaaaaaaaaaaaaaaaaaaa", {}, 3), "RTL aaaaaaaaaaaaaaaa");
    EXPECT_EQ(
        describe("aa", others, 3),
        "RTL aa; others with its parameters: RTL bbbbbbbbbbbbbbbb of /src, TRNSIM_CORE_PATH=/cache/2; RTL cc "
        "of /new, not built");
    EXPECT_EQ(
        describe("aa", others, 1),
        "RTL aa; others with its parameters: RTL bbbbbbbbbbbbbbbb of /src, TRNSIM_CORE_PATH=/cache/2; 1 more "
        "with its parameters");
    EXPECT_EQ(describe("aa", others, 0), "RTL aa; 2 others with its parameters");
}

}  // namespace
}  // namespace trnsim::cores
