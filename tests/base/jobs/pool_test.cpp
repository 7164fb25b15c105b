#include "base/jobs/pool.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <map>
#include <stdexcept>
#include <vector>

namespace trnsim::jobs {
namespace {

using Kind = Outcome::Kind;

Job number(std::size_t index) {
    return {.work = [index] { return std::to_string(index); }};
}

TEST(Pool, RunsEveryJobOnce) {
    for (const std::size_t workers : {0, 1, 2, 7}) {
        std::map<std::size_t, std::string> texts;
        EXPECT_TRUE(run_all(40, number,
                            [&](std::size_t i, const Outcome& outcome) {
                                EXPECT_TRUE(texts.emplace(i, outcome.text).second);
                            },
                            {.workers = workers}));
        ASSERT_EQ(texts.size(), 40u);
        for (const auto& [i, text] : texts) EXPECT_EQ(text, std::to_string(i));
    }
    EXPECT_TRUE(run_all(0, number, [](std::size_t, const Outcome&) { FAIL(); }, {}));
}

TEST(Pool, OneFailureConcernsOneJob) {
    std::vector<Kind> kinds(4);
    run_all(
        4,
        [](std::size_t i) -> Job {
            return {.work = [i]() -> std::string {
                        if (i == 1) throw std::runtime_error("no");
                        if (i == 2) std::raise(SIGSEGV);
                        if (i == 3) ::sleep(60);
                        return "fine";
                    },
                    .time_limit = 0.5};
        },
        [&](std::size_t i, const Outcome& outcome) { kinds[i] = outcome.kind; }, {.workers = 4});
    EXPECT_EQ(kinds, (std::vector<Kind>{Kind::Returned, Kind::Threw, Kind::Died, Kind::TimedOut}));
}

// Waiting for a long job must take almost no processor time.
TEST(Pool, RestsWhileJobsWorkInWallTime) {
    const std::clock_t begin = std::clock();
    run_all(
        1,
        [](std::size_t) -> Job {
            return {.work = [] {
                ::usleep(1'500'000);
                return std::string();
            }};
        },
        [](std::size_t, const Outcome&) {}, {});
    EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 0.1);
}

TEST(Pool, KeepsSoManyAtWork) {
    std::size_t at_work = 0, most = 0;
    run_all(
        9,
        [&](std::size_t i) {
            most = std::max(most, ++at_work);
            return number(i);
        },
        [&](std::size_t, const Outcome&) { --at_work; }, {.workers = 3});
    EXPECT_EQ(most, 3u);
    EXPECT_EQ(at_work, 0u);
}

TEST(Pool, TicksWhileJobsRunAndStopsWhenTold) {
    int ticks = 0, ended = 0;
    const bool complete = run_all(
        3,
        [](std::size_t i) -> Job {
            return {.work = [i] {
                if (i != 0) ::sleep(60);
                return std::string();
            }};
        },
        [&](std::size_t, const Outcome&) { ++ended; },
        {.workers = 2, .tick = [&ticks] { return ++ticks < 20; }, .ticks_a_second = 50});
    EXPECT_FALSE(complete);
    EXPECT_EQ(ticks, 20);
    EXPECT_EQ(ended, 1);
}

}  // namespace
}  // namespace trnsim::jobs
