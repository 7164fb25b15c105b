#include "base/jobs/process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/jobs/pool.hpp"
#include "base/jobs/shared_flag.hpp"
#include "common/temporary_directory.hpp"

namespace trnsim::jobs {
namespace {

using Kind = Outcome::Kind;

bool is_alive(pid_t process) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(stat, text);
    return !text.empty() && text.substr(text.rfind(')') + 2, 1) != "Z";
}

// Waits up to two seconds.
bool dies(pid_t process) {
    for (int i = 0; i < 200 && is_alive(process); ++i) ::usleep(10'000);
    return !is_alive(process);
}

pid_t number_in(const std::filesystem::path& file) {
    pid_t number = 0;
    for (int i = 0; i < 200 && number == 0; ++i) {
        ::usleep(10'000);
        std::ifstream(file) >> number;
    }
    return number;
}

TEST(Process, ReturnsTextOfAnySize) {
    for (const std::size_t size : {0, 1, 65536, 3 << 20}) {
        const std::string text(size, 'x');
        const Outcome outcome = run({.work = [&] { return text; }});
        EXPECT_EQ(outcome.kind, Kind::Returned);
        EXPECT_EQ(outcome.text, text);
    }
}

TEST(Process, WantsAProcessWithASingleThread) {
    std::atomic<bool> end = false;
    std::thread other([&end] { end.wait(false); });
    EXPECT_EQ(test::message_of<std::logic_error>([] { run({.work = [] { return std::string(); }}); }),
              "a process with 2 threads must not fork");
    end = true;
    end.notify_all();
    other.join();
    EXPECT_TRUE(run({.work = [] { return std::string(); }}).returned());
}

TEST(Process, ReportsExceptions) {
    const Outcome outcome = run({.work = []() -> std::string { throw std::runtime_error("no luck"); }});
    EXPECT_EQ(outcome.kind, Kind::Threw);
    EXPECT_EQ(outcome.text, "no luck");
}

TEST(Outcome, ExplainsADeathWithTheLastLine) {
    EXPECT_EQ((Outcome{.kind = Outcome::Kind::Died, .text = "how", .log = "first\nlast words \r\n\n"})
                  .explanation(),
              "how: last words");
    EXPECT_EQ((Outcome{.kind = Outcome::Kind::Died, .text = "how", .log = "\n"}).explanation(), "how");
    EXPECT_EQ((Outcome{.kind = Outcome::Kind::Threw, .text = "why", .log = "line\n"}).explanation(), "why");
}

TEST(Process, ReportsHowItDied) {
    const auto die = [](int how) {
        return run({.work = [how]() -> std::string {
            how > 0 ? std::raise(how) : (::_exit(-how), 0);
            return "";
        }});
    };
    EXPECT_EQ(die(SIGKILL).kind, Kind::Died);
    EXPECT_EQ(die(SIGKILL).text, "ended by signal 9 (Killed)");
    EXPECT_EQ(die(SIGSEGV).text, "ended by signal 11 (Segmentation fault)");
    EXPECT_EQ(die(-3).text, "ended with status 3 without a result");
}

TEST(Process, KeepsTheEndOfItsOutput) {
    const Outcome outcome = run({.work = [] {
        for (int i = 0; i < 50'000; ++i) std::printf("line %d\n", i);
        std::fflush(stdout);
        std::fprintf(stderr, "last words\n");
        return std::string("done");
    }});
    EXPECT_EQ(outcome.text, "done");
    EXPECT_EQ(outcome.log.size(), LogBytes);
    EXPECT_TRUE(outcome.log.ends_with("line 49999\nlast words\n"));
}

TEST(Process, EndsWorkThatTakesTooLong) {
    const Outcome outcome = run({.work =
                                     [] {
                                         ::sleep(60);
                                         return std::string();
                                     },
                                 .time_limit = 0.3});
    EXPECT_EQ(outcome.kind, Kind::TimedOut);
    EXPECT_EQ(outcome.text, "took longer than 0.3 s");
    EXPECT_GE(outcome.wall_seconds, 0.3);
}

TEST(Process, EndsWhatTheWorkStarted) {
    test::TemporaryDirectory folder;
    const auto start_child = [&](bool stay) {
        return [&, stay] {
            const pid_t child = ::fork();
            if (child == 0) {
                ::sleep(60);
                ::_exit(0);
            }
            std::ofstream(folder / "child") << child;
            if (stay) ::sleep(60);
            return std::string("left it behind");
        };
    };
    EXPECT_EQ(run({.work = start_child(true), .time_limit = 0.3}).kind, Kind::TimedOut);
    EXPECT_TRUE(dies(number_in(folder / "child")));
    EXPECT_EQ(run({.work = start_child(false)}).text, "left it behind");
    EXPECT_TRUE(dies(number_in(folder / "child")));
}

TEST(Process, DiesWithItsParent) {
    test::TemporaryDirectory folder;
    const pid_t parent = ::fork();
    if (parent == 0) {
        run({.work = [&] {
            std::ofstream(folder / "child") << ::getpid();
            ::sleep(60);
            return std::string();
        }});
        ::_exit(0);
    }
    const pid_t child = number_in(folder / "child");
    ASSERT_TRUE(is_alive(child));
    ::kill(parent, SIGKILL);
    EXPECT_TRUE(dies(child));
}

TEST(SharedFlag, IsThatOfAllProcesses) {
    SharedFlag asked, answered;
    EXPECT_FALSE(asked.raised());
    Process child({.work = [&] {
        while (!asked.raised()) ::usleep(1000);
        answered.raise();
        return std::string();
    }});
    EXPECT_FALSE(answered.raised());
    asked.raise();
    while (!child.poll()) ::usleep(1000);
    EXPECT_TRUE(answered.raised());
}

TEST(Process, CountsProcessorTime) {
    const Outcome idle = run({.work = [] {
        ::usleep(300'000);
        return std::string();
    }});
    EXPECT_GE(idle.wall_seconds, 0.3);
    EXPECT_LT(idle.cpu_seconds, idle.wall_seconds / 2);
    const Outcome busy = run({.work = [] {
        while (std::clock() < CLOCKS_PER_SEC / 10) continue;
        return std::string();
    }});
    EXPECT_GE(busy.cpu_seconds, 0.1);
}

}  // namespace
}  // namespace trnsim::jobs
