// Every rule of a configuration has a bad file in the folder `bad`; the file's first line is the exact
// message.
#include <gtest/gtest.h>

#include <optional>

#include "arch/config/config.hpp"
#include "common/bad_files.hpp"

namespace trnsim::config {
namespace {

namespace fs = std::filesystem;

const fs::path Folder = TRNSIM_BAD_CONFIGS;

std::optional<Error> error_of(const std::string& config) {
    try {
        load(config);
        return std::nullopt;
    } catch (const Error& error) {
        return error;
    }
}

TEST(BadFiles, SayWhatWhereAndWhatWasExpectedForEveryRule) {
    const std::set<std::string> broken =
        test::refused(Folder, [](const fs::path& file) { load(file.string()); });
    for (const std::string& rule : all_rules())
        EXPECT_TRUE(broken.contains(rule)) << "no file breaks: " << rule;
    EXPECT_EQ(broken.size(), all_rules().size());
    EXPECT_GE(std::distance(fs::directory_iterator(Folder), {}), 60);
}

TEST(BadFiles, NoSuchFile) {
    EXPECT_STREQ(error_of("nowhere/x.yaml")->what(),
                 "nowhere/x.yaml: no such file, expected a configuration file");
    EXPECT_STREQ(error_of("./")->what(), "./: no regular file, expected a configuration file");
}

TEST(BadFiles, UnknownName) {
    EXPECT_EQ(std::string(error_of("trn2")->what()).substr(0, 88),
              "configuration 'trn2' is not known, expected one like 'trn1' or the path of a file (there");
}

}  // namespace
}  // namespace trnsim::config
