// Every rule of a configuration has a bad file in the folder `bad`, whose first line says the exact message.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>

#include "testbench/config/config.hpp"

namespace trnsim::config {
namespace {

namespace fs = std::filesystem;

const fs::path Folder = TRNSIM_BAD_CONFIGS;
constexpr std::string_view Marker = "# expected: ";

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

std::optional<Error> error_of(const std::string& config) {
    try {
        load(config);
        return std::nullopt;
    } catch (const Error& error) {
        return error;
    }
}

class BadConfig : public testing::TestWithParam<std::string> {};

TEST_P(BadConfig, SaysWhatWhereAndWhatWasExpected) {
    const auto error = error_of((Folder / GetParam()).string());
    ASSERT_TRUE(error) << "is accepted";
    EXPECT_EQ(error->what(), Folder.string() + "/" + expected_message(GetParam()));
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name = fs::path(info.param).stem().string();
    std::ranges::replace_if(
        name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Files, BadConfig, testing::ValuesIn(bad_files()), test_name);

TEST(BadFiles, EveryRuleHasOne) {
    std::set<std::string> broken;
    for (const std::string& name : bad_files()) {
        if (const auto error = error_of((Folder / name).string())) broken.insert(error->rule);
    }
    for (const std::string& rule : all_rules())
        EXPECT_TRUE(broken.contains(rule)) << "no file breaks: " << rule;
    EXPECT_EQ(broken.size(), all_rules().size());
    EXPECT_GE(bad_files().size(), 60u);
}

TEST(BadFiles, NoSuchFile) {
    EXPECT_STREQ(error_of("nowhere/x.yaml")->what(),
                 "nowhere/x.yaml: no such file, expected a configuration file");
}

TEST(BadFiles, UnknownName) {
    EXPECT_EQ(std::string(error_of("trn2")->what()).substr(0, 88),
              "configuration 'trn2' is not known, expected one like 'trn1' or the path of a file (there");
}

}  // namespace
}  // namespace trnsim::config
