#include "tools/command/progress_line.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace trnsim::command {
namespace {

TEST(ProgressLine, ShowsShareRateAndTimeLeft) {
    EXPECT_EQ(format_progress({.completed = 25, .total = 100, .cycles = 1'000'000, .wall_seconds = 10}),
              " 25 % of the instructions, 1.000 million cycles, 100.0 simulated kHz, 30 s left");
    EXPECT_EQ(format_progress({}), "  0 % of the instructions, 0.000 million cycles, 0.0 simulated kHz");
    EXPECT_EQ(format_progress({.completed = 300, .total = 100, .cycles = 0, .wall_seconds = 1}).substr(0, 5),
              "100 %")
        << "loops complete more than there is";
}

TEST(ProgressLine, LeavesAnEmptyLine) {
    std::ostringstream stream;
    {
        ProgressLine line(stream);
        line.show({.completed = 25, .total = 100, .cycles = 1'000'000, .wall_seconds = 10});
        line.show(runtime::Progress{});
    }
    const std::string text = stream.str();
    EXPECT_EQ(text.back(), '\r');
    EXPECT_EQ(text.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace trnsim::command
