#include "base/jobs/isolated.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>

#include "common/temporary_directory.hpp"

namespace trnsim::jobs {
namespace {

std::string error_of(const std::function<std::string()>& work) {
    return test::message_of<std::runtime_error>([&] { run_isolated(work); });
}

TEST(Isolated, ReturnsTextAndErrors) {
    const std::string large(1 << 20, 'x');
    EXPECT_EQ(run_isolated([&] { return large; }), large);
    EXPECT_EQ(run_isolated([] { return std::string(); }), "");
    EXPECT_EQ(error_of([]() -> std::string { throw std::runtime_error("no luck"); }), "no luck");
}

TEST(Isolated, SurvivesACrash) {
    EXPECT_EQ(error_of([]() -> std::string {
                  std::raise(SIGKILL);
                  return "";
              }),
              "ended by signal 9 (Killed)");
}

}  // namespace
}  // namespace trnsim::jobs
