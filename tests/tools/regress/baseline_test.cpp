#include "tools/regress/baseline.hpp"

#include <gtest/gtest.h>

#include "arch/config/config.hpp"
#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"

namespace trnsim::regress {
namespace {

TEST(Baseline, ChangeOverOnePercentFailsOnBothSides) {
    const Baseline baseline{{"a", 10000}};
    for (const std::uint64_t cycles : {9900, 10000, 10100}) EXPECT_EQ(compare(baseline, "a", cycles), "");
    EXPECT_EQ(compare(baseline, "a", 10101),
              "10101 cycles, +1.01 % against 10000 of the baseline, expected within 1 %");
    EXPECT_EQ(compare(baseline, "a", 9899),
              "9899 cycles, -1.01 % against 10000 of the baseline, expected within 1 %");
}

TEST(Baseline, NewTestsMustBeAdded) {
    EXPECT_EQ(compare({{"a", 10000}}, "b", 7),
              "7 cycles, none in the baseline (--update-baseline adds them)");
    EXPECT_EQ(compare({}, "b", 7), "");
}

TEST(Baseline, IsReadAsWritten) {
    const test::TemporaryDirectory folder;
    const Baseline baseline{{"matmul/M=1/small16/seed=1/nearest", 123}, {"b", 4}};
    EXPECT_TRUE(read_baseline(folder / "l.cycles.json").empty());
    write_baseline(folder / "l.cycles.json", baseline);
    EXPECT_EQ(read_baseline(folder / "l.cycles.json"), baseline);
    EXPECT_EQ(baseline_file("x/l.yaml"), "x/l.cycles.json");
}

TEST(Baseline, CyclesByEngineAreReadAsWritten) {
    const test::TemporaryDirectory folder;
    const EngineBaseline engines{{"a", {{"tensor", {1, 2, 3, 4, 5}}}}, {"b\"", {}}};
    EXPECT_EQ(engines_file("x/l.yaml"), "x/l.engines.json");
    EXPECT_TRUE(read_engines(folder / "l.engines.json").empty());
    write_engines(folder / "l.engines.json", engines);
    EXPECT_EQ(read_engines(folder / "l.engines.json"), engines);
    files::write(folder / "l.engines.json", std::string_view("{\"a\": 3}"));
    EXPECT_NE(test::message_of<std::runtime_error>([&] {
                  read_engines(folder / "l.engines.json");
              }).find("l.engines.json: found no cycles by engine and class"),
              std::string::npos);
}

TEST(Baseline, BadFilesAreNamed) {
    const test::TemporaryDirectory folder;
    const std::filesystem::path path = folder / "l.cycles.json";
    const auto error = [&](const char* text) {
        files::write(path, std::string_view(text));
        return test::message_of<config::Error>([&] { read_baseline(path); });
    };
    EXPECT_EQ(error("{\n \"a\": -3\n}\n"),
              path.string() + ":2:7: a: found '-3', expected a number of cycles");
    EXPECT_EQ(error("{\n \"a\": 3,\n \"a\": 4\n}\n"), path.string() + ":3:2: a: found twice, expected once");
}

}  // namespace
}  // namespace trnsim::regress
