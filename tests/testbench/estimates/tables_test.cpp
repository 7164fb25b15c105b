// A bad file for every rule of the tables; its first line says the exact message. area-*: a table of areas.
#include "testbench/estimates/tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "testbench/estimates/figures_file.hpp"

namespace trnsim::estimates {
namespace {

namespace fs = std::filesystem;

const fs::path Folder = TRNSIM_BAD_TABLES;
constexpr std::string_view Marker = "# expected: ";

void read_table(const fs::path& path) {
    if (path.filename().string().starts_with("area-")) {
        read_area_table(path);
    } else {
        read_energy_table(path);
    }
}

TEST(BadTables, SayWhatWhereAndWhatWasExpected) {
    std::set<std::string> broken;
    for (const fs::directory_entry& entry : fs::directory_iterator(Folder)) {
        std::ifstream stream(entry.path());
        std::string line;
        std::getline(stream, line);
        ASSERT_TRUE(line.starts_with(Marker)) << entry.path();
        try {
            read_table(entry.path());
            ADD_FAILURE() << entry.path() << " is accepted";
        } catch (const config::Error& error) {
            EXPECT_EQ(error.what(), Folder.string() + "/" + line.substr(Marker.size()));
            broken.insert(error.rule);
        }
    }
    for (const std::string_view rule : {RuleNumber, RuleMissing, RuleList, RuleOrder, RulePoints,
                                        config::RuleUnknownKey, config::RuleKeyTwice, config::RuleValue,
                                        config::RuleMapping, config::RuleSyntax, config::RuleTop}) {
        EXPECT_TRUE(broken.contains(std::string(rule))) << "no file breaks: " << rule;
    }
}

TEST(Tables, ShippedOnesAreSound) {
    const Tables tables = load_tables();
    EXPECT_EQ(tables.energy.process, tables.area.process);
    EXPECT_LT(tables.energy.mac_fp8, tables.energy.mac_bf16);
    EXPECT_LT(tables.energy.mac_bf16, tables.energy.mac_fp32);
    EXPECT_GE(tables.energy.sram.size(), 3u);
    EXPECT_EQ(tables.energy.sram[0].capacity, 8 * 1024);
}

}  // namespace
}  // namespace trnsim::estimates
