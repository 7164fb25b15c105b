#include "tools/cores/command.hpp"

#include <gtest/gtest.h>

#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"

namespace trnsim::cores {
namespace {

std::string text_of(const std::filesystem::path& path) {
    const auto bytes = files::read(path);
    return {bytes.begin(), bytes.end()};
}

// A log can be read while the program is at work, so it is not written at the end.
TEST(RunCommand, AddsItsOutputToALog) {
    const test::TemporaryDirectory folder;
    const std::filesystem::path log = folder / "l.log";
    run_command({"sh", "-c", "echo out; echo err >&2; [ \"$(cat " + log.string() + ")\" = \"out\nerr\" ]"},
                {}, log);
    run_command({"sh", "-c", "echo again"}, {}, log);
    EXPECT_EQ(text_of(log), "out\nerr\nagain\n");
    EXPECT_EQ(test::message_of<std::runtime_error>([&] {
                  run_command({"sh", "-c", "exit 3"}, {}, log);
              }),
              "sh: ended with status 3");
}

}  // namespace
}  // namespace trnsim::cores
