// Tests JUnit, JSON and the page of a summary, with every kind of failure and with characters that have a
// meaning in XML.
#include "tools/regress/reports.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"
#include "tools/regress/commands.hpp"

namespace trnsim::regress {
namespace {

struct Sample {
    List list;
    Summary summary;
};

Sample sample() {
    Sample s{{.name = "a<b>&\"c\"", .file = "l.yaml", .configs = {}, .cases = {}}, {}};
    for (int status = 0; status < StatusCount; ++status) {
        s.list.cases.push_back({.id = "k/x=" + std::to_string(status), .subject = "k", .config = "small16"});
        CaseResult result;
        result.status = static_cast<Status>(status);
        if (status != 0) result.message = "expected <1> & \"2\"\x01";
        result.cycles = 100;
        result.baseline = 50;
        s.summary.results.push_back(result);
    }
    s.summary.results[1].rerun =
        Rerun{true, "", "failures/1.log",      "failures/1.fst",   "failures/1.trace.json",
              3,    4,  "trnsim run <k>.neff", "trnsim wave k.fst"};
    s.summary.results[6].detail = "tensor semaphore +20\n";
    s.summary.results[6].commands = {"trnsim profile <k>.neff", "trnsim regress l.yaml --update-baseline"};
    s.summary.results[6].engines = {{"tensor", {1, 2, 3, 4, 5}}};
    s.summary.coverage = coverage::Report{2, 1, {{"g", 2, 1, {"a, <b>"}}}};
    return s;
}

// A list in the working folder has no folder in its name, but its configurations have one in commands.
TEST(Commands, NameConfigurationsByTheirWholePath) {
    const Evidence evidence{.stem = "/out/failures/000-k", .view = "core"};
    const auto profile = [&](const std::string& config) {
        const Case one{.id = "k", .subject = "k", .config = config};
        return commands_of(one, "l.yaml", evidence, "").profile;
    };
    const std::string here = std::filesystem::current_path().string();
    EXPECT_NE(profile("mine.yaml").find(" --config " + here + "/mine.yaml "), std::string::npos)
        << profile("mine.yaml");
    EXPECT_NE(profile("small16").find(" --config small16 "), std::string::npos) << profile("small16");
}

// A command that finds another core may pass where the test failed.
TEST(Commands, NameTheCoreThatWasUsed) {
    ::unsetenv("TRNSIM_CORE_PATH");
    Case one{.id = "k", .subject = "k", .config = "small16"};
    const Evidence evidence{.stem = "/out/failures/000-k", .view = "core"};
    const auto reproduce = [&](const std::filesystem::path& core) {
        return commands_of(one, "/lists/l.yaml", evidence, core).reproduce;
    };
    EXPECT_TRUE(reproduce("").starts_with("trnsim run /out/failures/000-k.neff --config small16 --check "))
        << "the program's own: " << reproduce("");
    EXPECT_TRUE(reproduce("/cache/KEY").starts_with("TRNSIM_CORE_PATH=/cache/KEY trnsim run /out/"))
        << reproduce("/cache/KEY");
    ::setenv("TRNSIM_CORE_PATH", "/mine:/yours", 1);
    EXPECT_TRUE(reproduce("").starts_with("TRNSIM_CORE_PATH=/mine:/yours trnsim run ")) << reproduce("");
    EXPECT_TRUE(reproduce("/cache/KEY").starts_with("TRNSIM_CORE_PATH=/cache/KEY trnsim run "));
    ::unsetenv("TRNSIM_CORE_PATH");
}

TEST(Reports, SayWhichCoreWasChosen) {
    Sample s = sample();
    s.summary.core_choices = {"small16: RTL aa; others with its parameters: RTL bb of /src, not built"};
    EXPECT_NE(to_text(s.list, s.summary)
                  .find("core of small16: RTL aa; others with its parameters: RTL bb of "
                        "/src, not built\n"),
              std::string::npos);
}

TEST(Reports, JUnitIsWellFormedAndCounts) {
    const Sample s = sample();
    const test::TemporaryDirectory folder;
    const std::string path = (folder / "j.xml").string();
    files::write(path, to_junit(s.list, s.summary));
    const std::string program =
        "import sys, xml.etree.ElementTree as e\n"
        "s = e.parse(sys.argv[1]).getroot().find('testsuite')\n"
        "n = lambda p: str(len(s.findall('testcase' + p)))\n"
        "ok = n('') == s.get('tests') == '9' and n('/failure') == s.get('failures') == '3'\n"
        "ok = ok and n('/error') == s.get('errors') == '3'\n"
        "ok = ok and n('/skipped') == s.get('skipped') == '1'\n"
        "m = s.find('testcase/failure').get('message')\n"
        "sys.exit(0 if ok and m == 'expected <1> & \"2\"?' else 1)\n";
    files::write(folder / "check.py", program);
    EXPECT_EQ(std::system((TRNSIM_PYTHON " " + (folder / "check.py").string() + " " + path).c_str()), 0);
}

TEST(Reports, JsonHasResultsAndCoverage) {
    const Sample s = sample();
    const auto json = nlohmann::json::parse(to_json(s.list, s.summary));
    EXPECT_EQ(json["failed"], StatusCount - 2) << "a test that has not run has not failed";
    EXPECT_EQ(json["results"][1]["rerun"]["wave"], "failures/1.fst");
    EXPECT_EQ(json["results"][1]["rerun"]["trace"], "failures/1.trace.json");
    EXPECT_EQ(json["results"][6]["status"], "cycles");
    EXPECT_EQ(json["results"][6]["engines"]["tensor"][1], 2);
    EXPECT_EQ(json["results"][7]["status"], "not run");
    EXPECT_EQ(json["coverage"]["percent"], 50.0);
}

TEST(Reports, PageNeedsNothingElse) {
    const Sample s = sample();
    const std::string page = to_page(s.list, s.summary);
    for (const char* outside : {"http:", "https:", "src=", "@import"})
        EXPECT_EQ(page.find(outside), std::string::npos) << outside;
    EXPECT_NE(page.find("a, &lt;b&gt;"), std::string::npos);
    for (const char* inside : {"href=\"failures/1.fst\"", "href=\"failures/1.trace.json\"",
                               ">trnsim run &lt;k&gt;.neff</pre>", ">trnsim wave k.fst</pre>"})
        EXPECT_NE(page.find(inside), std::string::npos) << inside;
    EXPECT_EQ(page.find("expected <1>"), std::string::npos);
}

TEST(Reports, TextCounts) {
    const Sample s = sample();
    const std::string text = to_text(s.list, s.summary);
    EXPECT_NE(text.find("8 tests"), std::string::npos);
    EXPECT_NE(
        text.find(
            "1 passed, 6 failed (1 mismatch, 1 error, 1 no error, 1 timeout, 1 crash, 1 cycles, 1 not run)"),
        std::string::npos)
        << text;
}

// Where the cycles went, and what to type.
TEST(Reports, ChangesOfCyclesAreExplained) {
    const Sample s = sample();
    const std::string page = to_page(s.list, s.summary), text = to_text(s.list, s.summary);
    EXPECT_NE(text.find("\n    tensor semaphore +20\n    trnsim profile <k>.neff\n    trnsim regress l.yaml "
                        "--update-baseline\n"),
              std::string::npos)
        << text;
    for (const char* inside : {">tensor semaphore +20\n</pre>", ">trnsim profile &lt;k&gt;.neff</pre>",
                               ">trnsim regress l.yaml --update-baseline</pre>"})
        EXPECT_NE(page.find(inside), std::string::npos) << inside;
}

TEST(Results, SurviveThePipe) {
    CaseResult result;
    result.status = Status::Mismatch;
    result.message = "m";
    result.detail = "d\n";
    result.cycles = 5;
    result.place = 6;
    result.coverage = {1, 0, 2};
    result.engines = {{"vector", {9, 8, 7, 6, 5}}};
    result.wall_seconds = 1.5;
    const CaseResult read = from_text(to_text(result));
    EXPECT_EQ(read.status, Status::Mismatch);
    EXPECT_EQ(read.detail, "d\n");
    EXPECT_EQ(read.cycles, 5u);
    EXPECT_EQ(read.place, 6u);
    EXPECT_EQ(read.coverage, result.coverage);
    EXPECT_EQ(read.engines, result.engines);
    EXPECT_EQ(read.wall_seconds, 1.5);
}

}  // namespace
}  // namespace trnsim::regress
