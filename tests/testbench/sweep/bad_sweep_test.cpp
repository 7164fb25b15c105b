// Every rule of a sweep file has a bad file in the folder `bad`, whose first line says the exact message, or
// how it begins if that ends in "...".
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>

#include "testbench/sweep/plan.hpp"

namespace trnsim::sweep {
namespace {

namespace fs = std::filesystem;

const fs::path Folder = TRNSIM_BAD_SWEEPS;
constexpr std::string_view Marker = "# expected: ", Rest = "...";

std::vector<std::string> bad_files() {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(Folder))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

std::string expected_message(const std::string& name) {
    std::ifstream stream(Folder / name);
    std::string line;
    std::getline(stream, line);
    return line.starts_with(Marker) ? line.substr(Marker.size()) : "no line '# expected: ...'";
}

std::optional<config::Error> error_of(const std::string& name) {
    try {
        make_plan(read_sweep(Folder / name));
        return std::nullopt;
    } catch (const config::Error& error) {
        return error;
    }
}

class BadSweep : public testing::TestWithParam<std::string> {};

TEST_P(BadSweep, SaysWhatWhereAndWhatWasExpected) {
    const auto error = error_of(GetParam());
    ASSERT_TRUE(error) << "is accepted";
    std::string expected = Folder.string() + "/" + expected_message(GetParam()), got = error->what();
    if (expected.ends_with(Rest)) {
        expected.resize(expected.size() - Rest.size());
        got.resize(std::min(got.size(), expected.size()));
    }
    EXPECT_EQ(got, expected);
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name = fs::path(info.param).stem().string();
    std::ranges::replace(name, '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Files, BadSweep, testing::ValuesIn(bad_files()), test_name);

TEST(BadSweeps, EveryRuleHasOne) {
    std::set<std::string> broken;
    for (const std::string& name : bad_files()) {
        if (const auto error = error_of(name)) broken.insert(error->rule);
    }
    for (const std::string& rule : all_rules())
        EXPECT_TRUE(broken.contains(rule)) << "no file breaks: " << rule;
}

}  // namespace
}  // namespace trnsim::sweep
