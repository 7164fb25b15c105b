#include "tools/cli/run_options.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace trnsim::cli {
namespace {

constexpr std::uint64_t Clock = 2'800'000'000;
constexpr std::uint64_t End = std::numeric_limits<std::uint64_t>::max();
using Window = std::pair<std::uint64_t, std::uint64_t>;

TEST(RunOptions, WindowsAreNanosecondsOrTimesWithAUnit) {
    EXPECT_EQ(parse_window("1000:2500", Clock), (Window{2800, 7000}));
    EXPECT_EQ(parse_window("1us:2.5us", Clock), (Window{2800, 7000}));
    EXPECT_EQ(parse_window("1 us:2.5 us", Clock), (Window{2800, 7000}));
    EXPECT_EQ(parse_window(":1", Clock), (Window{0, 3})) << "2.8 cycles, up";
    EXPECT_EQ(parse_window("1:", Clock), (Window{2, End})) << "2.8 cycles, down";
    EXPECT_EQ(parse_window("0.5:1ms", Clock), (Window{1, 2'800'000}));
    for (const char* bad : {"", "5", "a:b", "5:4", "5ns:5ns", "7:7", "0:0", "1:2 parsec", "-1:2", "1:2:3"}) {
        EXPECT_THROW(parse_window(bad, Clock), std::runtime_error) << bad;
    }
}

TEST(RunOptions, TheLongestTimeHasAUnit) {
    const auto parsed = [](const char* text) {
        RunOptions options;
        options.max_time = text;
        return parse_max_time(options);
    };
    EXPECT_EQ(parsed(""), 0u) << "none";
    EXPECT_EQ(parsed("5ms"), 5'000'000'000'000u);
    EXPECT_EQ(parsed("1.5 us"), 1'500'000'000u);
    for (const char* bad : {"5", "0 ns", "-1 ms", "5 parsec", "ms"})
        EXPECT_THROW(parsed(bad), std::runtime_error) << bad;
}

TEST(RunOptions, Bindings) {
    const auto bindings = parse_bindings("--input", {"a=x.npy", "b=dir=1/y.npy"});
    EXPECT_EQ(bindings.at("a"), "x.npy");
    EXPECT_EQ(bindings.at("b"), "dir=1/y.npy");
    for (const char* bad : {"a", "=x", "a="})
        EXPECT_THROW(parse_bindings("--input", {bad}), std::runtime_error) << bad;
}

}  // namespace
}  // namespace trnsim::cli
