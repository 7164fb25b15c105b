// Every rule of the tables has a bad file. The files area-* are tables of areas.
#include "model/estimates/tables.hpp"

#include "common/bad_files.hpp"
#include "model/estimates/figures_file.hpp"

namespace trnsim::estimates {
namespace {

namespace fs = std::filesystem;

void read_table(const fs::path& path) {
    if (path.filename().string().starts_with("area-")) {
        read_area_table(path);
    } else {
        read_energy_table(path);
    }
}

TEST(BadTables, SayWhatWhereAndWhatWasExpected) {
    const std::set<std::string> broken = test::refused(TRNSIM_BAD_TABLES, read_table);
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
