// Every row of the cost table stands in the RTL as it says.
#include "model/core/fast/cost_table.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace trnsim::test {
namespace {

using tlm::core_fast::CostRow;
using tlm::core_fast::CostTable;

std::string text_of(std::string_view file) {
    std::ifstream stream(std::string(TRNSIM_RTL).append("/").append(file));
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

TEST(CostTable, StandsInTheRtl) {
    for (const CostRow& row : CostTable) {
        SCOPED_TRACE(row.name);
        const std::string text = text_of(row.source);
        const std::size_t place = text.find(row.constant);
        ASSERT_NE(place, std::string::npos) << row.source << ": no '" << row.constant << "'";
        // A constant that ends in its value ends there.
        if (std::isdigit(row.constant.back()) == 0) continue;
        EXPECT_EQ(std::isdigit(text.at(place + row.constant.size())), 0) << row.constant;
        const std::size_t digits = row.constant.find_last_not_of("0123456789") + 1;
        const auto value = std::stoul(std::string(row.constant.substr(digits)));
        EXPECT_EQ(row.value, value * row.times) << row.constant;
    }
}

TEST(CostTable, RowsAreInOrder) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < CostTable.size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(CostTable[i].cost), i) << CostTable[i].name;
        EXPECT_TRUE(names.insert(CostTable[i].name).second) << CostTable[i].name;
    }
}

}  // namespace
}  // namespace trnsim::test
