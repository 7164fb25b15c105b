// Tests the history of a list: what is written is read, means by hand, and what the page shows.
#include "tools/regress/history.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"

namespace trnsim::regress {
namespace {

HistoryEntry run(const std::string& commit, std::map<std::string, std::uint64_t> cycles) {
    return {.commit = commit,
            .time = "2026-01-31 12:00:00",
            .tests = 3,
            .seconds = 2.5,
            .cycles = std::move(cycles)};
}

TEST(History, IsReadAsWritten) {
    const test::TemporaryDirectory folder;
    EXPECT_TRUE(read_history(folder / "h.jsonl").empty());
    History history{run("a1", {{"k/<x>", 100}}), run("b2", {{"k/<x>", 110}})};
    history[1].failed = 1;
    history[1].failures = {{"l", "mismatch"}};
    write_history(folder / "h.jsonl", history);
    const History read = read_history(folder / "h.jsonl");
    ASSERT_EQ(read.size(), 2u);
    EXPECT_EQ(read[1].commit, "b2");
    EXPECT_EQ(read[1].cycles, history[1].cycles);
    EXPECT_EQ(read[1].failures, history[1].failures);
    std::ofstream(folder / "h.jsonl", std::ios::app) << "{}\n";
    EXPECT_NE(test::message_of<std::runtime_error>([&] {
                  read_history(folder / "h.jsonl");
              }).find("h.jsonl:3: found no run, expected a line of regress --history"),
              std::string::npos);
}

TEST(History, ACleanCommitHasOneRun) {
    History history;
    add(history, run("a", {{"k", 1}}));
    add(history, run("b-dirty", {{"k", 2}}));
    add(history, run("b-dirty", {{"k", 3}}));
    add(history, run("", {{"k", 4}}));
    add(history, run("", {{"k", 5}}));
    add(history, run("a", {{"k", 6}}));
    ASSERT_EQ(history.size(), 5u);
    EXPECT_EQ(history[0].cycles.at("k"), 6u);
}

// The mean is of tests that two runs share: 2 and 8 give 4, a new test gives nothing.
TEST(History, CyclesAreRelativeToTheFirstRun) {
    const History history{run("a", {{"k", 100}, {"l", 100}}), run("b", {{"k", 200}, {"l", 800}, {"m", 7}}),
                          run("c", {{"m", 7}})};
    const std::vector<double> relative = relative_cycles(history);
    ASSERT_EQ(relative.size(), 3u);
    EXPECT_DOUBLE_EQ(relative[0], 1);
    EXPECT_DOUBLE_EQ(relative[1], 4);
    EXPECT_DOUBLE_EQ(relative[2], 4);
}

TEST(History, ThePageShowsWhatChanged) {
    History history{run("first", {{"k/<x>", 1000}, {"quiet", 1000}}),
                    run("second", {{"k/<x>", 1100}, {"quiet", 1005}})};
    history[1].failures = {{"wrong", "mismatch"}};
    history[1].failed = 1;
    const std::string page = history_page("l<1>", history);
    for (const char* outside : {"http:", "https:", "src=", "@import"})
        EXPECT_EQ(page.find(outside), std::string::npos) << outside;
    EXPECT_NE(page.find("<h1>History of l&lt;1&gt;</h1>"), std::string::npos);
    EXPECT_NE(
        page.find("<td>k/&lt;x&gt;</td><td class=\"number\">1000</td><td class=\"number bad\">1100</td>"),
        std::string::npos)
        << page;
    EXPECT_NE(page.find("<td>wrong</td><td></td><td class=\"number bad\">mismatch</td>"), std::string::npos);
    EXPECT_EQ(page.find("<td>quiet</td>"), std::string::npos) << "0.5 % is no change";
    EXPECT_NE(page.find("<svg "), std::string::npos);
    EXPECT_EQ(history_page("l", {history[0]}).find("<svg "), std::string::npos) << "one run is no line";
}

TEST(History, KnowsTheCommitOfAFile) {
    const test::TemporaryDirectory folder;
    EXPECT_EQ(commit_of(folder / "l.yaml"), "");
    files::write(folder / "l.yaml", std::string_view("a"));
    const std::string git =
        "git -C '" + (folder / "l.yaml").parent_path().string() + "' -c user.name=a -c user.email=a@b ";
    ASSERT_EQ(std::system((git + "init --quiet && " + git + "add l.yaml && " + git +
                           "commit --quiet --message=a --no-verify")
                              .c_str()),
              0);
    const std::string commit = commit_of(folder / "l.yaml");
    EXPECT_GE(commit.size(), 7u);
    EXPECT_EQ(commit.find_first_not_of("0123456789abcdef"), std::string::npos) << commit;
    files::write(folder / "l.yaml", std::string_view("b"));
    EXPECT_EQ(commit_of(folder / "l.yaml"), commit + "-dirty");
}

}  // namespace
}  // namespace trnsim::regress
