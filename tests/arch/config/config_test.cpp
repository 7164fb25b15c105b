#include "arch/config/config.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace trnsim::config {
namespace {

namespace fs = std::filesystem;

fs::path write(const std::string& name, const std::string& text) {
    const fs::path path = fs::path(testing::TempDir()) / name;
    std::ofstream(path) << text;
    return path;
}

TEST(Config, Trn1) {
    const Config c = load("trn1");
    EXPECT_EQ(c.name, "trn1");
    EXPECT_EQ(c.core.array, (Array{128, 128}));
    EXPECT_EQ(c.core.partitions, 128u);
    EXPECT_EQ(c.core.sbuf_partition * c.core.partitions, 24u << 20);
    EXPECT_EQ(c.core.psum_partition * c.core.partitions, 2u << 20);
    EXPECT_EQ(c.core.psum_banks, 8u);
    EXPECT_EQ(c.core.clock, 2'800'000'000u);
    EXPECT_EQ(c.core.clock_ratio.vector, (Ratio{2, 5}));
    EXPECT_EQ(c.core.clock_ratio.bus, (Ratio{1, 2}));
    EXPECT_EQ(c.hbm.bandwidth, 820'000'000'000u);
    EXPECT_EQ(c.hbm.capacity, 16ULL << 30);
    EXPECT_EQ(c.dma.engines, 16u);
    EXPECT_EQ(c.dma.start_latency, 1'300'000'000u);
    EXPECT_EQ(c.dma.bandwidth, 27'200'000'000u);
    EXPECT_EQ(c.runtime.timeout, 100'000'000'000'000u);
    EXPECT_EQ(c.runtime.idle_instructions, 100'000u);
}

class Shipped : public testing::TestWithParam<const char*> {};

TEST_P(Shipped, LoadsAndReadsBackWhatItShows) {
    const Config config = load(GetParam());
    EXPECT_EQ(config.name, GetParam());
    const std::string shown = show(config);
    const Config again = load(write("shown.yaml", shown).string());
    EXPECT_EQ(again, config);
    EXPECT_EQ(show(again), shown);
}

INSTANTIATE_TEST_SUITE_P(Configs, Shipped,
                         testing::Values("trn1", "small8", "small16", "small32", "small64"));

TEST(Config, VariantTakesEverythingElseFromItsBase) {
    Config expected = load("trn1");
    expected.name = "mine";
    expected.hbm.read_latency = 200'000'000;
    const fs::path base = resolve("trn1");
    fs::copy_file(base, fs::path(testing::TempDir()) / "base.yaml", fs::copy_options::overwrite_existing);
    write("middle.yaml", "extends: base.yaml\nname: middle\nhbm: { read_latency: 200 ns }\n");
    EXPECT_EQ(load(write("top.yaml", "name: mine\nextends: middle.yaml\n").string()), expected);
    Config shipped = load("small16");
    shipped.name = "mine";
    EXPECT_EQ(load(write("named.yaml", "name: mine\nextends: small16\n").string()), shipped);
    const fs::path near = write("small16", "extends: base.yaml\nname: near\n");
    EXPECT_EQ(load(write("named.yaml", "name: mine\nextends: small16\n").string()).core,
              load((write("top.yaml", "name: mine\nextends: base.yaml\n")).string()).core)
        << "a file beside it comes first";
    fs::remove(near);
}

TEST(Config, NameIsLookedUpInTheSearchPath) {
    const fs::path folder = fs::path(testing::TempDir()) / "search";
    fs::create_directories(folder);
    fs::copy_file(resolve("trn1"), folder / "elsewhere.yaml", fs::copy_options::overwrite_existing);
    setenv("TRNSIM_CONFIG_PATH", (":" + folder.string()).c_str(), 1);
    EXPECT_EQ(resolve("elsewhere"), folder / "elsewhere.yaml");
    unsetenv("TRNSIM_CONFIG_PATH");
    EXPECT_THROW(resolve("elsewhere"), Error);
}

// If a rule compares keys and their values are in two files, the message names both files.
TEST(Config, NamesTheFileThatTheValuesMeetIn) {
    const fs::path path = write("top.yaml", "extends: trn1\nname: mine\ncore: { fetch: { prefetch: 7 } }\n");
    try {
        load(path.string());
        ADD_FAILURE() << "it is sound";
    } catch (const Error& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("trn1.yaml:"), std::string::npos) << message;
        EXPECT_NE(message.find(": core.fetch.burst: found '8', expected "), std::string::npos) << message;
        EXPECT_TRUE(message.ends_with(", in " + path.string())) << message;
    }
}

// A file, a value and a depth beyond the limits are one short line, however much there is.
TEST(Config, FilesHaveLimits) {
    const fs::path path = write("big.yaml", "");
    const auto error = [&](const std::string& text) {
        write("big.yaml", text);
        try {
            load(path.string());
        } catch (const Error& failure) {
            return std::string(failure.what());
        }
        return std::string();
    };
    const std::string file = path.string();
    EXPECT_EQ(error("name: " + std::string(70'000, 'x')),
              file + ":1:7: found a value of 70000 bytes, expected at most 65536");
    std::string long_text;
    long_text.resize(20'000'000, 'x');
    EXPECT_EQ(error("name: " + long_text),
              file + ": more than 1048576 bytes, expected a configuration file of at most that");
    EXPECT_EQ(error("name: " + std::string(100, '[') + std::string(100, ']')),
              file + ":1:70: found lists and mappings within each other, expected at most 64");
    const std::string quoted = error("extends: trn1.yaml\ncore: { clock: " + std::string(60'000, 'x') + " }");
    EXPECT_LT(quoted.size(), 2200 + file.size());
    EXPECT_TRUE(quoted.starts_with(file)) << quoted;
}

TEST(Config, ShowsSectionsOnce) {
    const std::string text = show(load("trn1"));
    EXPECT_EQ(text.substr(0, 51), "name: trn1\ncore:\n  array:\n    rows: 128\n    columns");
    EXPECT_EQ(text.find("core:"), text.rfind("core:"));
}

}  // namespace
}  // namespace trnsim::config
