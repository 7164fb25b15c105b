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

// In a pipe there is a line for each core and every half minute, on a terminal the line that is rewritten.
TEST(CoreAnnouncement, SaysHowFarBuildsAre) {
    for (const bool terminal : {false, true}) {
        std::ostringstream out, err;
        const Environment environment{
            .out = out, .err = err, .terminal = terminal, .machine = {}, .open = {}, .again = {}};
        double now = 100;
        CoreAnnouncement announce(environment, [&now] { return now; });
        announce({});
        EXPECT_EQ(err.str(), "");
        const auto at = [&](double seconds, std::size_t built) {
            now = 100 + seconds;
            err.str("");
            announce({built, 2, 93.4, "out/cores"});
            return err.str();
        };
        EXPECT_EQ(
            at(0, 0),
            "trnsim: building 2 cores that are missing first, the last one took 93 s here; they are kept; "
            "logs in out/cores\n");
        EXPECT_EQ(at(29, 0), "");
        const auto line = [&](const char* text) { return terminal ? std::string() : std::string(text); };
        EXPECT_EQ(at(31, 0), line("trnsim: 0 of 2 cores built after 31 s\n"));
        EXPECT_EQ(at(40, 1), line("trnsim: 1 of 2 cores built after 40 s\n"));
        EXPECT_EQ(at(60, 1), "");
        EXPECT_EQ(at(71, 1), line("trnsim: 1 of 2 cores built after 71 s\n"));
        EXPECT_EQ(at(80, 2), line("trnsim: 2 of 2 cores built after 80 s\n"));
        EXPECT_EQ(at(800, 2), "") << "the tests run";
    }
}

}  // namespace
}  // namespace trnsim::command
