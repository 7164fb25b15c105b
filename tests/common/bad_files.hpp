// Tests that a reader refuses every file of a folder.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "arch/config/config.hpp"

namespace trnsim::test {

// Expects `read` to refuse every file of the folder. The expected message is on the file's first line after
// "# expected: "; if it ends in "...", the message must only begin so. Returns the rules that the files
// break.
template <typename Read>
std::set<std::string> refused(const std::filesystem::path& folder, const Read& read) {
    constexpr std::string_view Marker = "# expected: ", Rest = "...";
    std::set<std::string> rules;
    for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder)) {
        SCOPED_TRACE(entry.path().filename().string());
        std::string line;
        std::ifstream stream(entry.path());
        std::getline(stream, line);
        if (!line.starts_with(Marker)) {
            ADD_FAILURE() << "no line '# expected: ...'";
            continue;
        }
        std::string expected = folder.string() + "/" + line.substr(Marker.size());
        try {
            read(entry.path());
            ADD_FAILURE() << "is accepted";
        } catch (const config::Error& error) {
            std::string got = error.what();
            if (expected.ends_with(Rest)) {
                expected.resize(expected.size() - Rest.size());
                got.resize(std::min(got.size(), expected.size()));
            }
            EXPECT_EQ(got, expected);
            rules.insert(error.rule);
        }
    }
    return rules;
}

}  // namespace trnsim::test
